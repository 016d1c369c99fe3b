import type { IncomingMessage } from 'node:http';

/** Header pairs of a request in received order and case, duplicates kept. */
export function headerPairs(raw: readonly string[]): (readonly [string, string])[] {
  const pairs: (readonly [string, string])[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2)
    pairs.push([raw[index] ?? '', raw[index + 1] ?? '']);
  return pairs;
}

/** The whole body, or what came of it before the client broke off. Never rejects. */
export function readBody(
  request: IncomingMessage,
): Promise<{ readonly bytes: Buffer; readonly complete: boolean }> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const done = (complete: boolean) => resolve({ bytes: Buffer.concat(chunks), complete });
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => done(true));
    request.on('error', () => done(false));
    request.on('close', () => done(request.complete));
  });
}
