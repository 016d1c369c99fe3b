import { Agent, request } from 'node:http';

/** An answer as a client read it. */
export interface Answer {
  readonly status: number;
  readonly reason: string;
  readonly rawHeaders: readonly string[];
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** The error that ended it, null for a clean end. */
  readonly fault: NodeJS.ErrnoException | null;
}

/** What is sent. */
export interface Call {
  readonly method?: string;
  readonly path: string;
  /** Names and values in turn. */
  readonly headers?: readonly string[];
  readonly body?: Uint8Array;
}

/** Connections that tests share. */
export const sharedAgent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Makes one call and reads its answer to the end, whatever end that is. Rejects only where no head came. */
export function call(url: string, { method = 'POST', path, headers = [], body }: Call): Promise<Answer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const all = ['Host', `${hostname}:${port}`, ...headers];
    if (body !== undefined) all.push('Content-Length', String(body.length));
    const sent = request({ hostname, port, method, path, headers: all, agent: sharedAgent }, (response) => {
      const chunks: Buffer[] = [];
      const done = (fault: NodeJS.ErrnoException | null) =>
        resolve({
          status: response.statusCode ?? 0,
          reason: response.statusMessage ?? '',
          rawHeaders: response.rawHeaders,
          headers: response.headers,
          body: Buffer.concat(chunks),
          fault,
        });
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => done(null));
      response.on('error', (error) => done(error));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
