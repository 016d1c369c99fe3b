import { passThrough } from '@/app/_lib/door.ts';

export const dynamic = 'force-dynamic';

export const GET = passThrough;
export const HEAD = passThrough;
export const POST = passThrough;
export const PUT = passThrough;
export const PATCH = passThrough;
export const DELETE = passThrough;
export const OPTIONS = passThrough;
