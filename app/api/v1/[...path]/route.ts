import { getServices } from '@/app/_lib/services.ts';
import { handleRest } from '@/server/api/index.ts';

export const dynamic = 'force-dynamic';

async function answer(request: Request): Promise<Response> {
  const services = getServices();
  return (await services.refusal()) ?? handleRest(request, services);
}

export const GET = answer;
export const HEAD = answer;
export const POST = answer;
export const PUT = answer;
export const PATCH = answer;
export const DELETE = answer;
