import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { ContextModeError, httpStatusOf } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { matchEndpoint } from './endpoints.ts';
import { matchFile } from './files.ts';
import { callerOf, changeRefusalOf, refusalOf } from './guard.ts';
import { openApi } from './openapi.ts';
import { appRouter, createCaller } from './router.ts';
import type { ApiServices } from './services.ts';
import { type ApiContext, publicErrorOf } from './trpc.ts';
import { matchUpload, piecesOfBody } from './uploads.ts';

const TRPC_PATH = '/api/trpc';
const REST_PATH = '/api/v1';
const NO_STORE = { 'cache-control': 'private, no-store', 'x-content-type-options': 'nosniff' };

/** Answers the console's own calls under `/api/trpc`. Foreign hosts and pages get a 403. */
export async function handleTrpc(request: Request, services: ApiServices): Promise<Response> {
  const ctx = contextOf(request, services);
  const refusal = refusalOf(ctx.caller, services.env.publicUrl);
  if (refusal !== null) return errorAnswer(forbidden(refusal), ctx.requestId);
  return fetchRequestHandler({
    endpoint: TRPC_PATH,
    req: request,
    router: appRouter,
    createContext: () => ctx,
    // A change must be a POST with a body that no plain form can send.
    allowMethodOverride: false,
    responseMeta: () => ({ headers: new Headers(NO_STORE) }),
  });
}

/** Answers the public API under `/api/v1`. Every error has one shape. */
export async function handleRest(request: Request, services: ApiServices): Promise<Response> {
  const ctx = contextOf(request, services);
  try {
    const changes = request.method !== 'GET' && request.method !== 'HEAD';
    const refuse = changes ? changeRefusalOf : refusalOf;
    const refusal = refuse(ctx.caller, services.env.publicUrl);
    if (refusal !== null) throw forbidden(refusal);
    return await answer(request, ctx);
  } catch (thrown) {
    return errorAnswer(thrown, ctx.requestId);
  }
}

async function answer(request: Request, ctx: ApiContext): Promise<Response> {
  const url = new URL(request.url);
  const path = url.pathname.slice(REST_PATH.length).replace(/\/$/, '');
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  if (method === 'GET' && path === '/openapi.json') return json(openApi(), ctx.requestId);
  const file = method === 'GET' ? matchFile(path) : null;
  if (file !== null) return file.endpoint.answer(ctx, file.params, url.searchParams);
  const upload = method === 'POST' ? matchUpload(path) : null;
  if (upload !== null)
    return json(await upload.answer(ctx, piecesOfBody(request), url.searchParams), ctx.requestId);
  const found = matchEndpoint(method, path);
  if (found === null) {
    throw new ContextModeError('not_found', `There is no call ${method} ${REST_PATH}${path}.`, {
      hint: `All calls are listed in ${REST_PATH}/openapi.json.`,
    });
  }
  const body =
    method === 'PATCH' || (method === 'POST' && request.body !== null)
      ? await fieldsOfBody(request, method)
      : {};
  const given = { ...Object.fromEntries(url.searchParams), ...body, ...found.params };
  return json(await found.endpoint.call(createCaller(ctx), given), ctx.requestId);
}

/** Longest body of fields that is read, in characters. */
const FIELDS_CHARS = 65_536;

/** The fields of a JSON object; a POST may have none. @throws ContextModeError where the body is something else */
async function fieldsOfBody(request: Request, method: string): Promise<Record<string, unknown>> {
  const text = await request.text();
  if (text === '' && method === 'POST') return {};
  if (text.length > FIELDS_CHARS) {
    throw new ContextModeError('too_large', `The body is longer than ${FIELDS_CHARS} characters.`, {
      hint: 'Send the fields that change, as one JSON object.',
    });
  }
  const value = parsed(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new ContextModeError('bad_request', 'The body is no JSON object.', {
    hint: 'Send the fields that change, for example {"retention": 30}.',
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function contextOf(request: Request, services: ApiServices): ApiContext {
  const host = request.headers.get('host') ?? `${services.env.host}:${services.env.port}`;
  return {
    services,
    caller: callerOf(request.headers),
    requestId: newId(services.clock),
    baseUrl: services.env.publicUrl ?? `http://${host}`,
  };
}

function forbidden(message: string): ContextModeError {
  return new ContextModeError('forbidden', message, {
    hint: 'Open the console by the address that the start printed, and reload the page.',
  });
}

function json(value: unknown, requestId: string, status = 200): Response {
  return Response.json(value, { status, headers: { ...NO_STORE, 'x-context-mode-request-id': requestId } });
}

function errorAnswer(thrown: unknown, requestId: string): Response {
  const told = publicErrorOf(thrown);
  return json({ error: { ...told, requestId } }, requestId, httpStatusOf[told.code]);
}
