import { getServices } from '@/app/_lib/services.ts';

export const dynamic = 'force-dynamic';

/** A console link when Next serves it alone; the product's own listener answers it before Next is asked. */
export function GET(): Promise<Response> {
  return getServices().openConsole();
}
