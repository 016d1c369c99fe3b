import type { RequestView, SeenRun } from '../../archive/index.ts';
import { hexOf, type MessageHash } from '../../conversation/index.ts';
import type { ViewRun } from '../compose/plan.ts';
import type { SeenByModel } from '../compose/seen.ts';

/** What the model saw of a request, by the archive's messages. @param positions the message behind each element */
export function requestView(seen: SeenByModel, positions: readonly MessageHash[]): RequestView {
  return { ...seen, runs: seen.runs.flatMap((run) => runOf(run, positions)) };
}

/** A stretch by its messages; none where its elements stand for no message (reasoning at the beginning). */
function runOf(run: ViewRun, positions: readonly MessageHash[]): readonly SeenRun[] {
  const nameOf = (element: number) => {
    const hash = positions[element];
    return hash === undefined ? null : hexOf(hash);
  };
  if (run.is === 'ours') return [run];
  if (run.is === 'changed') {
    const message = nameOf(run.element);
    return message === null ? [] : [{ is: run.is, message, what: run.what }];
  }
  const [first, last] = [nameOf(run.from), nameOf(run.to - 1)];
  return first === null || last === null ? [] : [{ is: run.is, first, last }];
}
