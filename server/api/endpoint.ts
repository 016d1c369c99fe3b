import type { z } from 'zod';
import type { createCaller } from './router.ts';

type Caller = ReturnType<typeof createCaller>;

/** One call of the public API that answers JSON: its address, what it takes, and the procedure behind it. */
export interface Endpoint {
  /** A `PATCH` takes its fields as a JSON object in its body, a `POST` there or in its query. */
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/api/v1`, with parameters in braces. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodType;
  /** `given` holds path and query parameters as texts, and the fields of a body; the procedure checks them. */
  call(caller: Caller, given: Record<string, unknown>): Promise<unknown>;
}

/** Input of a procedure from what was given; the procedure's own schema turns and checks it. */
export function as<Input>(given: Record<string, unknown>): Input {
  return given as Input;
}
