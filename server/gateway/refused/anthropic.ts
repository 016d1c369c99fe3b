import { dataOf, recordOf, textOf } from '../reading/events.ts';
import { OTHER, type Refusal, tokensIn } from './refusal.ts';

/** How the words of a refusal begin that is about what stands in the conversation. */
const ABOUT_HISTORY =
  /^(?:messages|system|tools)\b|cache_control|`(?:tool_use|tool_result|thinking|redacted_thinking)`/;
/** A call of a server's tool; the tool's name comes first. */
const SERVER_TOOL = /tool use with id `[^`]*` was found without/;
/** Media is the client's own: no edit touches it. */
const ABOUT_MEDIA = /\.(?:image|document)\b|\bimages?\b/;
/** Codes of refusals that are about the conversation, whatever their words. */
const CODES_OF_HISTORY =
  /^(?:compaction_block_|compaction_(?:signature|content|tool_changes)_|tool_reference_|tool_name_)/;

/** What an error body of the Messages API says, if its status is 400. */
export function messagesRefusal(body: Buffer): Refusal {
  const error = recordOf(dataOf({ event: null, data: body.toString('utf8') })?.error);
  const message = textOf(error?.message) ?? '';
  return (
    tooLarge(message) ??
    binding(message) ??
    (isAboutHistory(message, textOf(recordOf(error?.details)?.error_code)) ? { kind: 'pairing' } : OTHER)
  );
}

/** The words that agents go by as well (providers.md 1.7); numbers may be missing. */
function tooLarge(message: string): Refusal | null {
  if (message.includes('prompt is too long')) {
    const [, prompt, maximum] = /([\d,]+) tokens > ([\d,]+) maximum/.exec(message) ?? [];
    return { kind: 'too_large', prompt: tokensIn(prompt), maximum: tokensIn(maximum) };
  }
  if (!message.includes('exceed context limit')) return null;
  const [, prompt, answer, window] = /([\d,]+) \+ ([\d,]+) > ([\d,]+)/.exec(message) ?? [];
  const [taken, most] = [tokensIn(answer), tokensIn(window)];
  const maximum = taken === null || most === null ? null : Math.max(0, most - taken);
  return { kind: 'too_large', prompt: tokensIn(prompt), maximum };
}

function binding(message: string): Refusal | null {
  return message.includes('bound to a different conversation') ? { kind: 'binding' } : null;
}

function isAboutHistory(message: string, code: string | null): boolean {
  if (code !== null && CODES_OF_HISTORY.test(code)) return true;
  if (ABOUT_MEDIA.test(message)) return false;
  return ABOUT_HISTORY.test(message) || SERVER_TOOL.test(message);
}
