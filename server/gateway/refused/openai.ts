import { dataOf, readEvents, recordOf, textOf } from '../reading/events.ts';
import { OTHER, type Refusal, tokensIn } from './refusal.ts';

/** An error as the Responses API words it, in a body or in an event. */
interface ResponsesError {
  readonly code: string | null;
  readonly message: string;
  readonly param: string | null;
}

/** Refusals that name an item and no place of it (providers.md 3.4). */
const ABOUT_ITEMS =
  /^No tool (?:output|call) found for |was provided without its required |^Item with id '[^']*' not found|^Duplicate item found/;
/** Codes of what a client left out or made up: an edit takes away nothing that is required. */
const CODES_OF_OTHERS: ReadonlySet<string> = new Set(['unknown_parameter', 'missing_required_parameter']);
const ABOUT_MEDIA = /image|file/;

/** What an error body of the Responses API says, if its status is 400. */
export function responsesRefusal(body: Buffer): Refusal {
  const error = recordOf(dataOf({ event: null, data: body.toString('utf8') })?.error);
  return error === null ? OTHER : refusalOf(errorOf(error));
}

/**
 * The refusal that an event of a Responses stream is (`response.failed`, `error`); null: it is none, and the answer has
 * begun or goes on.
 */
export function refusalInEvent(event: Uint8Array): Refusal | null {
  const [read] = [...readEvents(event)];
  const data = read === undefined ? null : dataOf(read);
  if (data?.type === 'error') return refusalOf(errorOf(recordOf(data.error) ?? data));
  if (data?.type !== 'response.failed') return null;
  return refusalOf(errorOf(recordOf(recordOf(data.response)?.error) ?? {}));
}

function errorOf(error: Readonly<Record<string, unknown>>): ResponsesError {
  return { code: textOf(error.code), message: textOf(error.message) ?? '', param: textOf(error.param) };
}

function refusalOf({ code, message, param }: ResponsesError): Refusal {
  if (code === 'context_length_exceeded' || /exceeds the context window|maximum context length/.test(message))
    return tooLarge(message);
  if (code === 'invalid_encrypted_content') return { kind: 'binding' };
  if (ABOUT_ITEMS.test(message)) return { kind: 'pairing' };
  const isOfHistory = param !== null && /^(?:input|tools)\b/.test(param) && !ABOUT_MEDIA.test(param);
  return isOfHistory && !CODES_OF_OTHERS.has(code ?? '') ? { kind: 'pairing' } : OTHER;
}

/** Older models name the numbers; the newer wording names none. */
function tooLarge(message: string): Refusal {
  const [, maximum] = /maximum context length is ([\d,]+) tokens/.exec(message) ?? [];
  const [, prompt] = /resulted in ([\d,]+) tokens/.exec(message) ?? [];
  return { kind: 'too_large', prompt: tokensIn(prompt), maximum: tokensIn(maximum) };
}
