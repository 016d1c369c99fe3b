import { gzipSync } from 'node:zlib';

/** An answer as it stands on the wire, and what of its body a prefix of it holds. */
export interface WireAnswer {
  readonly wire: Buffer;
  /** Bytes of the head. */
  readonly head: number;
  /** The body without its framing. */
  readonly body: Buffer;
  /** How many bytes of the body the first `count` bytes of the wire hold. */
  bodyIn(count: number): number;
}

/** The protocols, each with the path of its door and a short answer that says `SAID`. */
export const PROTOCOLS = ['anthropic', 'openai'] as const;
/** One of the two protocols. */
export type Protocol = (typeof PROTOCOLS)[number];

/** What the short answer says. */
export const SAID = 'Yes, all done.';

const PIECE = 96;

/** The short answer as an event stream in chunks: one for each event, or pieces of it compressed. */
export function streamedAnswer(protocol: Protocol, coding: 'identity' | 'gzip'): WireAnswer {
  const events = (protocol === 'anthropic' ? messagesEvents : responsesEvents)().map(
    (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
  );
  const whole = gzipSync(Buffer.from(events.join('')));
  const chunks =
    coding === 'identity'
      ? events.map((event) => Buffer.from(event))
      : Array.from({ length: Math.ceil(whole.length / PIECE) }, (_, n) =>
          whole.subarray(n * PIECE, (n + 1) * PIECE),
        );
  const lines = [
    'HTTP/1.1 200 OK',
    'content-type: text/event-stream',
    ...(coding === 'gzip' ? ['content-encoding: gzip'] : []),
    'transfer-encoding: chunked',
    '',
    '',
  ];
  return inChunks(lines.join('\r\n'), chunks);
}

function inChunks(head: string, chunks: readonly Buffer[]): WireAnswer {
  const pieces: { readonly bytes: Buffer; readonly isBody: boolean }[] = [
    { bytes: Buffer.from(head), isBody: false },
  ];
  for (const chunk of chunks) {
    pieces.push({ bytes: Buffer.from(`${chunk.length.toString(16)}\r\n`), isBody: false });
    pieces.push({ bytes: chunk, isBody: true });
    pieces.push({ bytes: Buffer.from('\r\n'), isBody: false });
  }
  pieces.push({ bytes: Buffer.from('0\r\n\r\n'), isBody: false });
  return {
    wire: Buffer.concat(pieces.map((piece) => piece.bytes)),
    head: head.length,
    body: Buffer.concat(chunks),
    bodyIn(count) {
      let at = 0;
      let held = 0;
      for (const { bytes, isBody } of pieces) {
        if (isBody) held += Math.max(0, Math.min(bytes.length, count - at));
        at += bytes.length;
      }
      return held;
    },
  };
}

interface StreamEvent {
  readonly type: string;
  readonly [name: string]: unknown;
}

function messagesEvents(): StreamEvent[] {
  const message = {
    id: 'msg_short',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    usage: { input_tokens: 3, output_tokens: 1 },
  };
  const delta = (text: string) => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text },
  });
  return [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    delta(SAID.slice(0, 4)),
    delta(SAID.slice(4)),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ];
}

function responsesEvents(): StreamEvent[] {
  const response = { id: 'resp_short', object: 'response', model: 'm' };
  const item = {
    type: 'message',
    id: 'msg_short',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: SAID, annotations: [] }],
  };
  return [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: SAID.slice(0, 4) },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { ...response, status: 'completed', output: [item] } },
  ];
}
