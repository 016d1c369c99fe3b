import { bounded } from '../../kernel/bounded.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { TappedRequest } from '../tap.ts';
import type { RequestToCompose } from './types.ts';

/** The part of the time that is left in which the archive has to have a request. */
const SHARE = 0.5;

/** How a request is archived before it is sent, once and within the time that there is for its preparation. */
export function earlyArchiving(
  parts: { readonly archiveNow: (request: TappedRequest) => Promise<boolean>; readonly clock: Clock },
  request: TappedRequest,
  deadlineMs: number,
): Pick<RequestToCompose, 'id' | 'archiveNow'> {
  const began = parts.clock.monotonic();
  return {
    id: request.id,
    async archiveNow() {
      if (request.isPaused === true) return false;
      const leftMs = Math.max(0, deadlineMs - (parts.clock.monotonic() - began)) * SHARE;
      const archived = parts.archiveNow(request);
      return (await bounded(archived, leftMs)) && archived;
    },
  };
}
