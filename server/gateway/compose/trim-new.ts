import { hexOf } from '../../conversation/index.ts';
import { isCommandTool, TRIMMING_RULES } from '../../recall/index.ts';
import { type KeptResult, type ResultFacts, sentResult } from './kept-results.ts';
import type { RequestWork } from './request-work.ts';
import type { Standing } from './types.ts';

/** A long output that stands in a request for the first time. */
interface NewOutput {
  readonly element: number;
  readonly facts: ResultFacts;
}

/**
 * Decides which long outputs of commands are trimmed: those that the thread's requests hold for the first time, once the
 * archive has read the whole back. What is decided is committed when this resolves; what is not decided now never is.
 * @param isKnown the request goes on from one that this gateway put together
 * @throws where store or archive do not answer
 */
export async function trimNewOutputs(
  work: RequestWork,
  { choices }: Standing,
  isKnown: boolean,
): Promise<void> {
  const { memory } = work.request;
  const { met } = memory;
  memory.met = new Set(work.conversation.results.flatMap((results) => results.map(({ id }) => id)));
  const { recall, trimming } = work.switches;
  const mayTrim = choices.trimming === TRIMMING_RULES && recall && trimming && !memory.isResting;
  if (!mayTrim || !isKnown || memory.isUnseen) return;
  const outputs = newOutputs(work, met);
  if (outputs.length === 0 || !(await work.request.archiveNow())) return;
  const chain = await work.archived();
  if (chain === null) return;
  const kept = outputs.flatMap(({ element, facts }): (readonly [NewOutput, KeptResult])[] => {
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
      if (met.has(one.id) || work.request.memory.hidden.has(one.id)) continue;
      if (isTrimmable(work, element, one)) outputs.push({ element, facts: one });
    }
  }
  return outputs;
}

function isTrimmable(work: RequestWork, element: number, { callId, part }: ResultFacts): boolean {
  const tool = work.results.toolOf(callId, element);
  const text = tool === null || !isCommandTool(tool) ? null : work.results.textOf(element, part);
  return text !== null && sentResult(PROBE, text) !== null;
}

/** Whether an output is long does not depend on where the whole is. */
const PROBE: KeptResult = {
  result: 'trimmed',
  rules: TRIMMING_RULES,
  docid: 'context-mode-msg-0' as KeptResult['docid'],
};
