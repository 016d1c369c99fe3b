import { connect } from 'node:net';
import { asObject, type JsonObject, parseJson } from './json.ts';
import type { Simulator } from './simulator.ts';

/** A server-sent event as a client reads it. */
export type ReadEvent = { readonly name: string; readonly data: JsonObject };

/** What a test gets back from the simulator. */
export type Reply = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: JsonObject;
  readonly events: readonly ReadEvent[];
};

const ANTHROPIC_HEADERS = { 'anthropic-version': '2023-06-01', 'x-api-key': 'test-key' };

/** A small Messages body that every rule accepts; members can be replaced and added. */
export function messagesBody(changes: JsonObject = {}): JsonObject {
  return {
    model: 'claude-opus-4-8',
    max_tokens: 1000,
    messages: [{ role: 'user', content: 'hello' }],
    ...changes,
  };
}

/** A small Responses body that every rule accepts; members can be replaced and added. */
export function responsesBody(changes: JsonObject = {}): JsonObject {
  return { model: 'gpt-5.5', input: [userItem('hello')], store: false, ...changes };
}

/** A user message of the Responses protocol. */
export function userItem(text: string): JsonObject {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
}

/** Posts a body to the Messages API. */
export function postMessages(simulator: Simulator, body: JsonObject, headers: Record<string, string> = {}) {
  return post(`${simulator.url}/v1/messages`, body, { ...ANTHROPIC_HEADERS, ...headers });
}

/** Posts a body to the Responses API. */
export function postResponses(simulator: Simulator, body: JsonObject, headers: Record<string, string> = {}) {
  return post(`${simulator.url}/v1/responses`, body, { authorization: 'Bearer test-key', ...headers });
}

/** Posts JSON and reads the whole answer. */
export async function post(
  url: string,
  body: JsonObject,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: asObject(parseJson(text)) ?? {},
    events: readEvents(text),
  };
}

/** The events of a stream's text; comments are left out. */
export function readEvents(text: string): ReadEvent[] {
  return text.split('\n\n').flatMap((block) => {
    const name = /^event: (.*)$/m.exec(block)?.[1];
    const data = asObject(parseJson(/^data: (.*)$/m.exec(block)?.[1] ?? ''));
    return name === undefined || data === undefined ? [] : [{ name, data }];
  });
}

/** The error message of a refusal of either provider. */
export function errorMessage(reply: Reply): string {
  return String(asObject(reply.json.error)?.message ?? '');
}

/** Sends raw bytes and gives everything that came back once the connection ended, and whether it was reset. */
export function sendRaw(simulator: Simulator, bytes: string): Promise<{ text: string; reset: boolean }> {
  return new Promise((resolve) => {
    const socket = connect(simulator.port, '127.0.0.1');
    let text = '';
    let reset = false;
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      reset = error.code === 'ECONNRESET';
    });
    socket.on('close', () => resolve({ text, reset }));
    socket.write(bytes);
  });
}

/** A whole streaming Messages request as bytes; its connection closes behind it. */
export function rawRequest(body = JSON.stringify(messagesBody({ stream: true })), headers = ''): string {
  return `POST /v1/messages HTTP/1.1\r\nHost: x\r\nx-api-key: k\r\nConnection: close\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
