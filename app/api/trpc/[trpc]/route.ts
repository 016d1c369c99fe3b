import { getServices } from '@/app/_lib/services.ts';
import { handleTrpc } from '@/server/api/index.ts';

export const dynamic = 'force-dynamic';

const answer = (request: Request): Promise<Response> => handleTrpc(request, getServices());

export const GET = answer;
export const POST = answer;
