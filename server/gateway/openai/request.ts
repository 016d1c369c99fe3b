import { fieldNamed, type Slice, scanBody, viewOf } from '../../conversation/index.ts';
import type { ReadRequest, RequestHead } from '../adapter.ts';
import { fieldNode, identityOf } from './identity.ts';

const ARRAYS = new Set(['input', 'tools', 'messages']);
/** Fields that a preamble leaves out: the conversation, and what names sessions, people and requests. */
const NOT_PREAMBLE = new Set([
  'input',
  'messages',
  'client_metadata',
  'metadata',
  'prompt_cache_key',
  'previous_response_id',
  'conversation',
  'user',
  'safety_identifier',
]);

/**
 * Which of the provider's paths this is; anything may stand before it, since base URLs may have a prefix. Chat
 * completions are `other`: they pass and are kept as requests, but their messages are not read.
 */
export function routeOf(head: RequestHead): 'generation' | 'count' | 'other' {
  if (head.method !== 'POST') return 'other';
  const path = head.target.split('?', 1)[0] ?? '';
  if (/\/responses\/input_tokens\/?$/.test(path)) return 'count';
  return /\/responses\/?$/.test(path) ? 'generation' : 'other';
}

/** See {@link ReadRequest}; null where the body is no JSON object. */
export function readRequest(head: RequestHead, body: Uint8Array): ReadRequest | null {
  const scan = scanBody(body, ARRAYS);
  if (scan === null) return null;
  const buffer = viewOf(body);
  const model = fieldNode(scan, buffer, 'model');
  const stream = fieldNode(scan, buffer, 'stream');
  const input = fieldNamed(scan, 'input');
  const bare: readonly Slice[] = input?.kind === 'string' && input.whole ? [input.value] : [];
  return {
    identity: identityOf(head, scan, buffer, routeOf(head)),
    model: model?.type === 'string' ? model.value : null,
    stream: stream?.type === 'boolean' && stream.value,
    elements: input?.elements ?? bare,
    scan,
    preamble: scan.fields
      .filter((field) => field.whole && !NOT_PREAMBLE.has(field.name))
      .map((field) => ({ name: field.name, slice: field.value })),
  };
}
