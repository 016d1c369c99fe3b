import type { RequestView } from '../../archive/index.ts';
import { hexOf } from '../../conversation/index.ts';
import type { ViewRun } from './plan.ts';
import type { Composed } from './types.ts';

/** What the model saw of a request, by the elements of the request: the recorder turns them into the archive's messages. */
export interface SeenByModel extends Omit<RequestView, 'runs'> {
  readonly runs: readonly ViewRun[];
}

/** What the console shows of a request that was put together. */
export function seenOf({ force, made, because, unedited, runs, body, sizes, sent }: Composed): SeenByModel {
  return {
    layout: force === null || force.generation.layout === null ? null : hexOf(force.generation.madeAt),
    made: made ? (force?.generation.reason ?? null) : null,
    because,
    unedited,
    runs,
    sentBytes: body.byteLength,
    tokens: { client: sizes.client, sent, limit: sizes.limit },
  };
}
