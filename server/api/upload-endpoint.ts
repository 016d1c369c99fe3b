import type { z } from 'zod';
import type { ApiContext } from './trpc.ts';

/** A call of the public API that takes a body, or gives something that must not stand in an address. */
export interface UploadEndpoint {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  /** What the body is; null: there is none. */
  readonly mime: string | null;
  readonly parameters: readonly { readonly name: string; readonly description: string }[];
  readonly output: z.ZodType;
  answer(ctx: ApiContext, body: AsyncIterable<Uint8Array>, query: URLSearchParams): Promise<unknown>;
}
