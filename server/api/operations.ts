import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Metrics } from '../kernel/metrics.ts';
import type { ApiServices, Health } from './services.ts';

/** What an operations answer says. */
export interface OperationsAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

type OperationsServices = ApiServices & { readonly metrics: Metrics };

const UNKNOWN: Health = { ready: false, parts: [{ name: 'process', ok: false, note: 'no answer' }] };

/**
 * The answer to `/healthz` (the process lives), `/readyz` (it can archive: 200, else 503, either way with its parts)
 * and `/metrics` (Prometheus' text form); null for any other path.
 */
export async function operationsAnswer(
  services: OperationsServices,
  path: string,
): Promise<OperationsAnswer | null> {
  if (path === '/healthz') return json(200, { ok: true });
  if (path === '/readyz') {
    const health = await services.health().catch(() => UNKNOWN);
    return json(health.ready ? 200 : 503, health);
  }
  if (path !== '/metrics') return null;
  const { registry } = services.metrics;
  return { status: 200, type: registry.contentType, body: await registry.metrics() };
}

/** Answers an operations path on Node's own HTTP; false: the path is none of these and nothing was written. */
export async function answerOperations(
  services: OperationsServices,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  const answer = await operationsAnswer(services, path);
  if (answer === null) return false;
  response.writeHead(answer.status, { 'content-type': answer.type, 'cache-control': 'no-store' });
  response.end(request.method === 'HEAD' ? undefined : answer.body);
  return true;
}

function json(status: number, value: unknown): OperationsAnswer {
  return { status, type: 'application/json', body: JSON.stringify(value) };
}
