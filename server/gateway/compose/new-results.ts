import { hexOf } from '../../conversation/index.ts';
import { isCommandTool, TRIM_ABOVE_TOKENS, TRIMMING_RULES } from '../../recall/index.ts';
import { stubsToFill } from './fill-stubs.ts';
import { type ResultFacts, type TrimmedResult, trimmedResult } from './kept-results.ts';
import type { RequestWork } from './request-work.ts';
import type { Standing } from './types.ts';

/** A long output that stands in a request for the first time. */
interface NewOutput {
  readonly element: number;
  readonly facts: ResultFacts;
}

/**
 * Decides which stubs of reads are filled, and which long outputs of commands are trimmed: those that the thread's requests hold for the first time, once the
 * archive has read the whole back. What is decided is committed when this resolves; what is not decided now never is.
 * @param isKnown the request goes on from one that this gateway put together
 * @throws where store or archive do not answer
 */
export async function decideNewResults(
  work: RequestWork,
  { choices, planned }: Standing,
  isKnown: boolean,
): Promise<void> {
  const { memory } = work.request;
  const { met } = memory;
  memory.met = new Set(work.conversation.results.flatMap((results) => results.map(({ id }) => id)));
  const { recall, trimming } = work.switches;
  if (!isKnown || memory.isUnseen || memory.isResting || !recall) return;
  if (planned !== null) await work.results.keep(stubsToFill(work, planned, ({ id }) => !met.has(id)));
  if (choices.trimming !== TRIMMING_RULES || !trimming) return;
  const outputs = newOutputs(work, met);
  if (outputs.length === 0 || !(await work.request.archiveNow())) return;
  const chain = await work.archived(true);
  if (chain === null) return;
  const kept = outputs.flatMap(({ element, facts }): (readonly [NewOutput, TrimmedResult])[] => {
    const items = chain.items.get(hexOf(chain.positions[element] ?? new Uint8Array())) ?? [];
    const row = items.find((item) => item.kind === 'tool_result' && item.callId === facts.callId);
    if (row?.confirmed !== true) return [];
    return [
      [
        { element, facts },
        { result: 'trimmed', rules: TRIMMING_RULES, docid: row.docid },
      ],
    ];
  });
  await work.results.keep(kept.map(([{ element, facts }, data]) => ({ element, id: facts.id, data })));
}

/** Long outputs of commands behind the newest answer that no request of the thread held before. */
function newOutputs(work: RequestWork, met: ReadonlySet<string>): readonly NewOutput[] {
  const { facts, results } = work.conversation;
  const answered = facts.findLastIndex(({ print }) => print !== null);
  const outputs: NewOutput[] = [];
  for (let element = answered + 1; element < results.length; element += 1) {
    for (const one of results[element] ?? []) {
      if (one.tokens <= TRIM_ABOVE_TOKENS || met.has(one.id)) continue;
      if (work.request.memory.hidden.has(one.id)) continue;
      if (isTrimmable(work, element, one)) outputs.push({ element, facts: one });
    }
  }
  return outputs;
}

function isTrimmable(work: RequestWork, element: number, { callId, part }: ResultFacts): boolean {
  const tool = work.results.callOf(callId, element)?.name ?? null;
  const text = tool === null || !isCommandTool(tool) ? null : work.results.textOf(element, part);
  return text !== null && trimmedResult(PROBE, text) !== null;
}

/** Whether an output is long does not depend on where the whole is. */
const PROBE: TrimmedResult = {
  result: 'trimmed',
  rules: TRIMMING_RULES,
  docid: 'context-mode-msg-0' as TrimmedResult['docid'],
};
