import { fieldNamed, scanBody } from '../../conversation/index.ts';
import { RETRIEVAL_TOOL } from '../../recall/index.ts';
import { headerOf, type RawHeaders } from '../headers.ts';
import type { AnswerSoFar } from '../hidden/rounds.ts';
import { applyEdits } from '../splice.ts';
import type { UpstreamRequest } from '../upstream.ts';
import {
  type EditedBody,
  type Edit as NamedEdit,
  type Verdict,
  validateAnthropic,
  validateOpenai,
} from '../validator/index.ts';
import type { Protocol } from './types.ts';

/** The first request of an answer, as it was composed and sent. */
export interface FirstRequest extends Pick<EditedBody, 'latestThinking' | 'window' | 'estimate'> {
  readonly protocol: Protocol;
  readonly request: UpstreamRequest;
  /** The client's body, decoded. */
  readonly client: Buffer;
  /** Every change in the request, for the validator. */
  readonly named: readonly NamedEdit[];
}

/** A request that goes on behind hidden rounds, or why it cannot be made. */
export type FollowUp = { readonly request: UpstreamRequest } | { readonly refused: string };

/**
 * The request that goes on with an answer: the first one with the hidden rounds so far behind its conversation, and
 * nothing else changed. It is judged as one whose client has what it was shown of the answer.
 * @param headers of the upstream answer before: Codex' turn state in them goes along
 */
export function followUp(first: FirstRequest, answer: AnswerSoFar, headers: RawHeaders): FollowUp {
  const { body } = first.request;
  const sent = appended(body instanceof Uint8Array ? body : body.joined(), first.protocol, answer.sent);
  const client = appended(first.client, first.protocol, answer.echoed);
  if (sent === null || client === null) return { refused: 'The conversation is no list.' };
  const verdict = judge(first, {
    client: client.body,
    edited: sent.body,
    edits: [...first.named, ...answer.named(sent.elements)],
    ownTool: RETRIEVAL_TOOL,
    latestThinking: first.latestThinking,
    window: first.window,
    estimate: first.estimate,
  });
  if (!verdict.ok) return { refused: `${verdict.rule} at ${verdict.where}: ${verdict.message}` };
  const turnState = headerOf(headers, TURN_STATE);
  return {
    request: {
      ...first.request,
      body: sent.body,
      headers: followUpHeaders(first.request.headers, sent.body.length, turnState),
    },
  };
}

const TURN_STATE = 'x-codex-turn-state';
const LISTS = { anthropic: 'messages', openai: 'input' } as const;

function judge({ protocol }: FirstRequest, body: EditedBody): Verdict {
  return protocol === 'anthropic' ? validateAnthropic(body) : validateOpenai(body);
}

/** A body with further elements at the end of its conversation, and how many it had; null: that is no list, or empty. */
function appended(
  body: Buffer,
  protocol: Protocol,
  more: readonly string[],
): { readonly body: Buffer; readonly elements: number } | null {
  const list = LISTS[protocol];
  const scan = scanBody(body, new Set([list]));
  const elements = scan === null || scan.fault !== null ? null : fieldNamed(scan, list)?.elements;
  const last = elements?.at(-1);
  if (!elements || last === undefined) return null;
  const edits =
    more.length === 0 ? [] : [{ start: last.end, end: last.end, insert: Buffer.from(`,${more.join(',')}`) }];
  return { body: applyEdits(body, edits).joined(), elements: elements.length };
}

/** The headers of the first request with the new length; the turn state of the answer before where it gave one. */
function followUpHeaders(headers: RawHeaders, length: number, turnState: string | null): string[] {
  const kept: string[] = [];
  let hasState = turnState === null;
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name, value] = [headers[at] ?? '', headers[at + 1] ?? ''];
    const lower = name.toLowerCase();
    if (lower === 'content-length') kept.push(name, String(length));
    else if (lower === TURN_STATE && turnState !== null) {
      if (!hasState) kept.push(name, turnState);
      hasState = true;
    } else kept.push(name, value);
  }
  if (!hasState && turnState !== null) kept.push(TURN_STATE, turnState);
  return kept;
}
