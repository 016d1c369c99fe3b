import type { ArchiveWriter } from '../../archive/index.ts';
import { DOC_ID_PREFIX } from '../../conversation/index.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import {
  blockQuestion,
  type FactPlace,
  factLine,
  lexicalJudge,
  type MemoryReader,
  makeBlock,
  ranked,
} from '../../memory/index.ts';
import type { Timers } from '../keep-alive.ts';
import type { FoundFact } from '../retrieval/retrieval.ts';
import type { FactsForPrompts } from './types.ts';

/** Facts with words of what is typed that are ranked. */
const RANKED = 200;

/** Facts that a search shows at most. */
const SHOWN = 6;

/** The facts of a place that fit the words of a search, a line each, with the documents that they were drawn from. */
export async function factsForSearch(
  reader: Pick<MemoryReader, 'fitting'>,
  accountId: Uuid,
  place: FactPlace,
  q: string,
  at: Millis,
): Promise<readonly FoundFact[]> {
  const question = blockQuestion(q, at);
  const found = await reader.fitting(accountId, place, question.words, at, RANKED);
  return ranked(found, question)
    .filter((fact) => lexicalJudge(fact, question))
    .slice(0, SHOWN)
    .map((fact) => ({
      line: factLine(fact),
      docid: fact.docid === null ? null : `${DOC_ID_PREFIX}${fact.docid}`,
    }));
}

/** Makes what gives prompts their facts. Places are found as the recorder finds them, so that both know the same project. */
export function createFactsForPrompts({
  reader,
  places,
  timers,
}: {
  readonly reader: Pick<MemoryReader, 'fitting' | 'hasFacts'>;
  readonly places: Pick<ArchiveWriter, 'resolvePlace'>;
  readonly timers: Timers;
}): FactsForPrompts {
  return {
    hasFacts: (accountId) => reader.hasFacts(accountId),
    async block(accountId, claim, typed, at) {
      const question = blockQuestion(typed, at);
      // Whoever knows nothing asks for no place.
      if (question.words.length === 0 || !(await reader.hasFacts(accountId))) return null;
      const place = await places.resolvePlace(accountId, claim, at);
      if (place === null) return null;
      const where = { ...place, threadId: null };
      const found = await reader.fitting(accountId, where, question.words, at, RANKED);
      return makeBlock(found, question, lexicalJudge, (ms) => {
        let timer: unknown = null;
        const over = new Promise<void>((resolve) => {
          timer = timers.after(ms, resolve);
        });
        return { over, cancel: () => timers.cancel(timer) };
      });
    },
  };
}
