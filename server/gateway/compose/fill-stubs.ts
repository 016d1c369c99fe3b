import { type ResultFacts, resultId } from './kept-results.ts';
import type { PlannedLayout } from './plan.ts';
import type { RequestWork } from './request-work.ts';
import type { DecidedResult } from './results-work.ts';
import { saysUnchanged } from './stubs.ts';

const READ = 'Read';

/**
 * Stubs that refer to a read which a layout leaves out, with what stands for each of them from now on: what that read gave.
 * @param isLookedAt of which results: of those that stand in a request for the first time, or of all
 */
export function stubsToFill(
  work: RequestWork,
  { at }: PlannedLayout,
  isLookedAt: (result: ResultFacts, element: number) => boolean,
): readonly DecidedResult[] {
  if (work.request.read.identity.agent !== 'claude-code') return [];
  const { results } = work.conversation;
  const decided: DecidedResult[] = [];
  for (let element = at; element < results.length; element += 1) {
    for (const one of results[element] ?? []) {
      if (work.request.memory.hidden.has(one.id) || !isLookedAt(one, element)) continue;
      const text = work.results.textOf(element, one.part);
      if (text === null || !saysUnchanged(text)) continue;
      const source = sourceOf(work, one, element);
      if (source !== null && source.element >= at) continue;
      const data = {
        result: 'filled',
        call: source?.callId ?? null,
        print: source === null ? null : resultId(work.key, '', source.callId, source.text),
      } as const;
      decided.push({ element, id: one.id, data });
    }
  }
  return decided;
}

/** The read that a stub refers to: the newest before it of the same file and range that gave content. */
function sourceOf(work: RequestWork, stub: ResultFacts, element: number) {
  const asked = rangeOf(work.results.callOf(stub.callId, element));
  if (asked === null) return null;
  const { facts } = work.conversation;
  for (let at = element - 1; at >= 0; at -= 1) {
    for (const callId of facts[at]?.closes ?? []) {
      if (rangeOf(work.results.callOf(callId, at)) !== asked) continue;
      const text = work.results.textOfCall(callId, at);
      if (text !== null && !saysUnchanged(text)) return { element: at, callId, text };
    }
  }
  return null;
}

/** File and range of a read, as one text; null: it is none. */
function rangeOf(call: { readonly name: string; readonly input: string } | null): string | null {
  if (call?.name !== READ) return null;
  try {
    const { file_path, offset, limit, pages } = JSON.parse(call.input) as Readonly<Record<string, unknown>>;
    return JSON.stringify([file_path, offset ?? 1, limit ?? null, pages ?? null]);
  } catch {
    return null;
  }
}
