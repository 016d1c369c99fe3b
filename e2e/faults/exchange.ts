import { Agent, request } from 'node:http';

/** How one request went, as its client saw it. */
export interface Outcome {
  readonly status: number;
  /** The body; less the gateway's own comment lines there is nothing that the provider did not send. */
  readonly body: Buffer;
  /** Milliseconds from the first byte out to the last byte in. */
  readonly ms: number;
  /** The gateway's id of the request; null where the answer did not come through one. */
  readonly requestId: string | null;
}

/** What is sent. `headers` go beside a content length. */
export interface Call {
  readonly base: string;
  readonly path: string;
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const agent = new Agent({ keepAlive: true, maxSockets: 256 });

/**
 * Sends a request on a kept connection and reads its answer to the end.
 * @param onBytes told of each piece as it comes
 * @throws what Node says, where the connection breaks
 */
export function exchange(call: Call, onBytes: (bytes: Buffer) => void = () => undefined): Promise<Outcome> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const out = request(
      `${call.base}${call.path}`,
      {
        agent,
        method: call.method ?? 'POST',
        headers: { ...call.headers, 'content-length': String(call.body.byteLength) },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          onBytes(chunk);
        });
        answer.on('error', reject);
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            body: Buffer.concat(chunks),
            ms: performance.now() - began,
            requestId: answer.headers['x-context-mode-request-id']?.toString() ?? null,
          }),
        );
      },
    );
    out.on('error', reject);
    out.end(call.body);
  });
}
