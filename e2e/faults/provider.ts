import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it reached the provider. */
export interface Arrived {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  /** Whether the answer went out whole. */
  answered: boolean;
  /** Whether the other side left before that. */
  left: boolean;
}

/**
 * A provider whose answer is a function of the request's bytes, so that a client that goes to it directly and one that
 * goes through the gateway can be compared byte by byte. The header `x-fault` chooses how it answers:
 * nothing: a stream of events at once; `held`: the head and one event, the rest after `release`; `events:N`: the head and
 * N events, the rest after `release`; `silent`: nothing before
 * `release`; `flood:N`: N MB; `echo`: the body as it came, with its own type and the coding that
 * `x-answer-coding` names; `refuse`: 401 with the key in its words.
 */
export interface Provider {
  readonly url: string;
  readonly arrived: readonly Arrived[];
  /** Answers that are held go on. */
  release(): void;
  stop(): Promise<void>;
}

/** Starts a provider on a free port of the loopback address. */
export async function startProvider(): Promise<Provider> {
  const arrived: Arrived[] = [];
  let held: (() => void)[] = [];
  const server = createServer((request, response) => {
    const hash = createHash('sha256');
    const kept: Buffer[] = [];
    const how = String(request.headers['x-fault'] ?? '');
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      hash.update(chunk);
      if (how === 'echo') kept.push(chunk);
    });
    request.on('error', () => undefined);
    request.on('end', () => {
      const one: Arrived = {
        path: request.url ?? '',
        sha256: hash.digest('hex'),
        bytes,
        answered: false,
        left: false,
      };
      arrived.push(one);
      response.on('finish', () => {
        one.answered = true;
      });
      response.on('close', () => {
        one.left = !one.answered;
      });
      answer(how, one, Buffer.concat(kept), request, response, (go) => held.push(go));
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived,
    release() {
      const waiting = held;
      held = [];
      for (const go of waiting) go();
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(
  how: string,
  { sha256 }: Arrived,
  body: Buffer,
  request: IncomingMessage,
  response: ServerResponse,
  hold: (go: () => void) => void,
): void {
  if (how === 'echo') {
    const coding = request.headers['x-answer-coding'];
    response
      .writeHead(200, {
        'content-type': request.headers['content-type'] ?? 'text/plain',
        ...(coding === undefined ? {} : { 'content-encoding': String(coding) }),
      })
      .end(body);
  } else if (how.startsWith('flood:')) {
    flood(response, Number(how.slice(6)) * 1024 * 1024);
  } else if (how === 'refuse') {
    response
      .writeHead(401, { 'content-type': 'application/json' })
      .end(JSON.stringify(refusal(`invalid key ${request.headers['x-api-key']}`)));
  } else {
    const [first = '', ...rest] = request.url?.includes('/responses')
      ? responsesEvents(sha256)
      : messagesEvents(sha256);
    const head = () => response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (how === 'silent') hold(() => head().end(first + rest.join('')));
    else if (how === 'held' || how.startsWith('events:')) {
      const events = [first, ...rest];
      const count = how === 'held' ? 3 : Number(how.slice(7));
      head().flushHeaders();
      for (const event of events.slice(0, count)) response.write(event);
      hold(() => response.end(events.slice(count).join('')));
    } else head().end(first + rest.join(''));
  }
}

function refusal(message: string): object {
  return { type: 'error', error: { type: 'authentication_error', message } };
}

function flood(response: ServerResponse, bytes: number): void {
  const piece = Buffer.alloc(64 * 1024, 'flood ');
  let sent = 0;
  response.writeHead(200, { 'content-type': 'application/octet-stream' });
  const more = () => {
    while (sent < bytes && !response.destroyed) {
      sent += piece.length;
      if (!response.write(piece)) return void response.once('drain', more);
    }
    response.end();
  };
  more();
}

/** The text that is answered to a body with this hash. */
export function answerTo(sha256: string): string {
  return `Answer ${sha256.slice(0, 16)}: done.`;
}

function messagesEvents(sha256: string): string[] {
  const usage = { input_tokens: 100, output_tokens: 1 };
  const message = {
    id: `msg_${sha256.slice(0, 20)}`,
    type: 'message',
    role: 'assistant',
    model: 'claude-opus-4-8',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  const text = answerTo(sha256);
  return [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: text.slice(0, 10) } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: text.slice(10) } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 9 },
    },
    { type: 'message_stop' },
  ].map(eventOf);
}

function responsesEvents(sha256: string): string[] {
  const response = { id: `resp_${sha256.slice(0, 20)}`, object: 'response', model: 'gpt-5.4' };
  const item = {
    type: 'message',
    id: `msg_${sha256.slice(0, 20)}`,
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: answerTo(sha256), annotations: [] }],
  };
  return [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { ...response, status: 'completed', output: [item] } },
  ].map(eventOf);
}

function eventOf(event: { readonly type: string }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
