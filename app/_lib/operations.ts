import { operationsAnswer } from '@/server/api/index.ts';
import { getServices } from './services.ts';

/** Health, readiness and counters when Next serves them alone. */
export async function answerOperation(request: Request): Promise<Response> {
  const services = getServices();
  const refusal = await services.refusal();
  if (refusal !== null) return refusal;
  const answer = await operationsAnswer(services, new URL(request.url).pathname);
  if (answer === null) return new Response(null, { status: 404 });
  return new Response(answer.body, {
    status: answer.status,
    headers: { 'content-type': answer.type, 'cache-control': 'no-store' },
  });
}
