import type { TurnsToLearn, UnlearnedTurn } from '../archive/index.ts';
import type { Clock } from '../kernel/clock.ts';
import { faultOf } from '../kernel/errors.ts';
import type { Uuid } from '../kernel/ids.ts';
import type { Logger } from '../kernel/log.ts';
import type { Metrics } from '../kernel/metrics.ts';
import {
  isTypedTurn,
  learnByRules,
  type MemoryReader,
  type MemoryWriter,
  RULES_AUTHOR,
  scopeOfTyped,
  type TurnCount,
} from '../memory/index.ts';

/** What a person switched of memory where a turn belongs. */
export interface LearningSwitches {
  readonly memory: boolean;
  /** The zone that dates in words are meant in where the agent states none. */
  readonly timeZone: string;
}

/** What learning works with. */
export interface LearningParts {
  readonly turns: TurnsToLearn;
  readonly reader: Pick<MemoryReader, 'facts'>;
  readonly writer: Pick<MemoryWriter, 'write' | 'claim' | 'count'>;
  readonly switchesOf: (
    accountId: Uuid,
    place: { readonly projectId: Uuid | null; readonly sessionId: Uuid },
  ) => Promise<LearningSwitches>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'turns' | 'faults'>;
}

/** Turns that are read at once. */
const AT_ONCE = 20;
/** How often a turn is tried before it is given up. */
const ATTEMPTS = 3;
/** Facts of the place that the rules look an old value up in, at most. */
const KNOWN = 2_000;

/**
 * Looks at the turns that wait, the oldest first, until none waits: what a person typed in the main line is read by the
 * rules and written down. Turns in which nobody typed are counted and not read. Harmless when repeated or done twice at
 * once: what is known writes nothing.
 * @returns how many turns were looked at
 */
export async function learnWaiting(parts: LearningParts, accountId: Uuid): Promise<number> {
  let looked = 0;
  for (;;) {
    const turns = await parts.turns.next(accountId, AT_ONCE);
    for (const turn of turns) await lookAt(parts, accountId, turn);
    looked += turns.length;
    if (turns.length < AT_ONCE) return looked;
  }
}

async function lookAt(parts: LearningParts, accountId: Uuid, turn: UnlearnedTurn): Promise<void> {
  try {
    const became = await learn(parts, accountId, turn);
    if (became !== null) await count(parts, accountId, became);
    await parts.turns.done(accountId, turn);
  } catch (thrown) {
    parts.metrics.faults.inc({ where: 'learning' });
    parts.log.warn({ reason: faultOf(thrown), attempts: turn.attempts }, 'a turn could not be learned from');
    if (turn.attempts + 1 < ATTEMPTS) {
      await parts.turns.failed(accountId, turn);
      throw thrown;
    }
    await count(parts, accountId, 'turns_failed');
    await parts.turns.done(accountId, turn);
  }
}

async function count({ writer, metrics }: LearningParts, accountId: Uuid, became: TurnCount): Promise<void> {
  metrics.turns.inc({ became: became.replace('turns_', '') });
  await writer.count(accountId, { [became]: 1 });
}

/** What became of a turn; null: memory is off where it belongs, and it is not counted. */
async function learn(
  { reader, writer, switchesOf, clock }: LearningParts,
  accountId: Uuid,
  turn: UnlearnedTurn,
): Promise<TurnCount | null> {
  const { projectId, worktreeId, threadId, sessionId } = turn;
  const switches = await switchesOf(accountId, { projectId, sessionId });
  if (!switches.memory) return null;
  if (!isTypedTurn(turn)) return 'turns_skipped';
  const place = { projectId, worktreeId, threadId };
  const scope = scopeOfTyped(place);
  if (scope === null) return 'turns_skipped';
  const facts = await reader.facts(accountId, place, { validAt: clock.now(), knownAt: null }, KNOWN);
  const known = facts.map(({ slot, version }) => ({
    subject: slot.subject,
    predicate: slot.predicate,
    value: version.value.text,
  }));
  const { drafts, claims } = learnByRules({
    isMain: turn.isMain,
    parts: turn.parts,
    answered: turn.answered,
    saidAt: turn.at,
    zone: turn.zone ?? switches.timeZone,
    scope,
    known,
  });
  if (drafts.length > 0)
    await writer.write(accountId, drafts, { authority: 'extractor', name: RULES_AUTHOR });
  for (const [docid, ofAnswer] of claims) await writer.claim(accountId, scope, docid, ofAnswer);
  return 'turns_read';
}
