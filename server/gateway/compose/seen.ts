import type { RequestView } from '../../archive/index.ts';
import { hexOf } from '../../conversation/index.ts';
import type { Refusal } from '../refused/index.ts';
import type { ViewRun } from './plan.ts';
import type { Composed } from './types.ts';

/** What the model saw of a request, by the elements of the request: the recorder turns them into the archive's messages. */
export interface SeenByModel extends Omit<RequestView, 'runs' | 'again'> {
  readonly runs: readonly ViewRun[];
}

/** A second form of a request, and what its first was refused as. */
export interface SeenAgain {
  readonly refused: Refusal['kind'];
  readonly seen: SeenByModel;
}

/** The forms that were sent of a request beside its first. */
export class SentForms {
  #again: SeenAgain | null = null;

  /** The newest; null: none. */
  get again(): SeenAgain | null {
    return this.#again;
  }

  sends(refused: Refusal['kind'], seen: SeenByModel): void {
    this.#again = { refused, seen };
  }
}

/** The client's own bytes. @param because why nothing was put together; null: nobody can say */
export function seenAsItCame(sentBytes: number, because: string | null): SeenByModel {
  const tokens = { client: 0, sent: 0, limit: null };
  return { layout: null, made: null, because, unedited: null, runs: [], sentBytes, tokens };
}

/** The client's own bytes without what stands for reasoning in them: nothing else is known of such a form. */
export function seenWithoutReasoning(sentBytes: number): SeenByModel {
  const tokens = { client: 0, sent: 0, limit: null };
  const because = 'without_reasoning';
  return { layout: null, made: null, because, unedited: null, runs: [], sentBytes, tokens };
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
