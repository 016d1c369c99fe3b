import { initTRPC, TRPCError } from '@trpc/server';
import { ZodError, z } from 'zod';
import { asContextModeError, ContextModeError, type ErrorCode, faultOf } from '../kernel/errors.ts';
import { type Caller, changeRefusalOf } from './guard.ts';
import type { ApiServices } from './services.ts';

/** What every procedure gets: the process's services, who calls, and the id of this call. */
export interface ApiContext {
  readonly services: ApiServices;
  readonly caller: Caller;
  readonly requestId: string;
  /** `http://host:port` under which the caller reached us: what agents on this machine must be told. */
  readonly baseUrl: string;
}

type TrpcCode = TRPCError['code'];

const TRPC_CODE: Readonly<Record<ErrorCode, TrpcCode>> = {
  bad_request: 'BAD_REQUEST',
  unauthorized: 'UNAUTHORIZED',
  forbidden: 'FORBIDDEN',
  not_found: 'NOT_FOUND',
  conflict: 'CONFLICT',
  too_large: 'PAYLOAD_TOO_LARGE',
  rate_limited: 'TOO_MANY_REQUESTS',
  unavailable: 'SERVICE_UNAVAILABLE',
  configuration: 'INTERNAL_SERVER_ERROR',
  internal: 'INTERNAL_SERVER_ERROR',
};

/** A public error: what a person or a script is told. */
export interface PublicError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
}

/** What a caller is told of a thrown value; what it does not name stays inside. */
export function publicErrorOf(thrown: unknown): PublicError {
  const cause = thrown instanceof TRPCError ? (thrown.cause ?? thrown) : thrown;
  if (cause instanceof ZodError && thrown instanceof TRPCError && thrown.code === 'BAD_REQUEST') {
    return {
      code: 'bad_request',
      message: `The call is not well formed:\n${z.prettifyError(cause)}`,
      hint: 'The fields and their types are listed in /api/v1/openapi.json.',
    };
  }
  if (cause instanceof TRPCError && cause.code === 'NOT_FOUND') {
    return {
      code: 'not_found',
      message: 'There is no such call.',
      hint: 'Reload the page; the console may be older than the server.',
    };
  }
  if (cause instanceof TRPCError && cause.code !== 'INTERNAL_SERVER_ERROR') {
    return {
      code: 'bad_request',
      message: 'The call could not be read.',
      hint: 'Reload the page and try again.',
    };
  }
  const { code, message, hint } = asContextModeError(cause);
  return { code, message, hint };
}

const t = initTRPC.context<ApiContext>().create({
  isDev: false,
  sse: { ping: { enabled: true, intervalMs: 15_000 }, client: { reconnectAfterInactivityMs: 45_000 } },
  errorFormatter({ shape, error, ctx }) {
    const told = publicErrorOf(error);
    return {
      ...shape,
      message: told.message,
      data: {
        code: shape.data.code,
        httpStatus: shape.data.httpStatus,
        told,
        requestId: ctx?.requestId ?? '',
      },
    };
  },
});

const typed = t.middleware(async ({ next, ctx, path }) => {
  const result = await next();
  if (result.ok) return result;
  const { cause } = result.error;
  const badInput = cause instanceof ZodError && result.error.code === 'BAD_REQUEST';
  if (badInput || (cause === undefined && result.error.code !== 'INTERNAL_SERVER_ERROR')) return result;
  const known = asContextModeError(cause ?? result.error);
  if (known.code === 'internal' || known.code === 'unavailable') {
    ctx.services.log.error({ path, requestId: ctx.requestId, reason: faultOf(known) }, 'console call failed');
  }
  throw new TRPCError({ code: TRPC_CODE[known.code], message: known.message, cause: known });
});

/** Groups procedures. */
export const router = t.router;
/** Calls procedures without HTTP. */
export const createCallerFactory = t.createCallerFactory;
/** A procedure that only reads. */
export const reading = t.procedure.use(typed);
/** A procedure that changes something: it asks for the proof that the console's own page or a local script calls. */
export const changing = reading.use(({ next, ctx }) => {
  const refusal = changeRefusalOf(ctx.caller, ctx.services.env.publicUrl);
  if (refusal !== null)
    throw new ContextModeError('forbidden', refusal, { hint: 'Reload the page and try again.' });
  return next();
});
