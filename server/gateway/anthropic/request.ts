import { fieldNamed, scanBody, viewOf } from '../../conversation/index.ts';
import type { ReadRequest, RequestHead } from '../adapter.ts';
import { fieldNode, identityOf, outlineOf } from './identity.ts';

const ARRAYS = new Set(['messages', 'tools']);
/** Fields that a preamble leaves out: the conversation, and who asks (it would make each session's preamble another). */
const NOT_PREAMBLE = new Set(['messages', 'metadata']);

/** Which of the provider's paths this is; a prefix before `/v1` is allowed, since base URLs may have one. */
export function routeOf(head: RequestHead): 'generation' | 'count' | 'other' {
  if (head.method !== 'POST') return 'other';
  const path = head.target.split('?', 1)[0] ?? '';
  if (/\/messages\/count_tokens\/?$/.test(path)) return 'count';
  return /\/messages\/?$/.test(path) ? 'generation' : 'other';
}

/** See {@link ReadRequest}; null where the body is no JSON object. */
export function readRequest(head: RequestHead, body: Uint8Array): ReadRequest | null {
  const scan = scanBody(body, ARRAYS);
  if (scan === null) return null;
  const buffer = viewOf(body);
  const model = fieldNode(scan, buffer, 'model');
  const stream = fieldNode(scan, buffer, 'stream');
  return {
    identity: identityOf(head, outlineOf(scan, buffer), routeOf(head)),
    model: model?.type === 'string' ? model.value : null,
    stream: stream?.type === 'boolean' && stream.value,
    elements: fieldNamed(scan, 'messages')?.elements ?? [],
    scan,
    preamble: scan.fields
      .filter((field) => field.whole && !NOT_PREAMBLE.has(field.name))
      .map((field) => ({ name: field.name, slice: field.value })),
  };
}
