import type { ArchiveWriter } from '../../archive/index.ts';
import { blockQuestion, lexicalJudge, type MemoryReader, makeBlock } from '../../memory/index.ts';
import type { Timers } from '../keep-alive.ts';
import type { FactsForPrompts } from './types.ts';

/** Facts with words of what is typed that are ranked. */
const RANKED = 200;

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
