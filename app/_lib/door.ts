import { getServices } from './services.ts';

/** A door when Next serves it alone: the same gateway, less what Next keeps from a handler (header order, upgrades). */
export function passThrough(request: Request): Promise<Response> {
  return getServices().gateway.forWeb(request);
}
