import type { ApiContext } from './trpc.ts';

/** A call of the public API that answers bytes instead of JSON. */
export interface FileEndpoint {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly mime: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: 'path' | 'query';
    readonly description: string;
    /** True: the call works without it. */
    readonly optional?: boolean;
  }[];
  answer(ctx: ApiContext, params: Record<string, string>, query: URLSearchParams): Promise<Response>;
}

/**
 * Headers of content that came from a conversation: whatever it is, no browser runs it or guesses what it might be,
 * also when it is opened by its own address.
 */
export const INERT = {
  'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, no-store',
};

/** The header that has a browser save an answer under a name. */
export function attachment(name: string): string {
  return `attachment; filename="${name.replace(/[^\w.-]/g, '_')}"`;
}

/** Lines as bytes, each closed by a line feed. */
export async function* linesOf(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const line of lines) yield encoder.encode(line.endsWith('\n') ? line : `${line}\n`);
}

/** Pieces as a byte stream that asks for the next one only when the reader has taken the last. */
export function streamOf(pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
}
