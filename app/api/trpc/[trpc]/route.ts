import { getServices } from '@/app/_lib/services.ts';
import { handleTrpc } from '@/server/api/index.ts';

export const dynamic = 'force-dynamic';

async function answer(request: Request): Promise<Response> {
  const services = getServices();
  return (await services.refusal()) ?? handleTrpc(request, services);
}

export const GET = answer;
export const POST = answer;
