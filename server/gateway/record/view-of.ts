import type { RequestView, SeenRun } from '../../archive/index.ts';
import { hexOf, type MessageHash } from '../../conversation/index.ts';
import type { ViewRun } from '../compose/plan.ts';
import { type SeenAgain, type SeenByModel, seenAsItCame } from '../compose/seen.ts';

/** What the model saw of a request, by the archive's messages. @param positions the message behind each element */
export function requestView(
  seen: SeenByModel,
  positions: readonly MessageHash[],
): Omit<RequestView, 'again'> {
  return { ...seen, runs: seen.runs.flatMap((run) => runOf(run, positions)) };
}

/** The same with the form that went out once the first was refused. @param bytes of the client's own body */
export function viewWithSecond(
  first: SeenByModel | null,
  again: SeenAgain,
  { positions, bytes }: { readonly positions: readonly MessageHash[]; readonly bytes: number },
): RequestView {
  const second = { refused: again.refused, view: requestView(again.seen, positions) };
  return { ...requestView(first ?? seenAsItCame(bytes, null), positions), again: second };
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
