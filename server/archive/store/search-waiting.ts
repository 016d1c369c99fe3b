import type { SearchAnswer } from '../types.ts';

/** Items that wait for the index from which on every answer says so; below, only one that found nothing. */
export const MANY = 500;
const NOTE = 'What was archived last is still being indexed: search again in a moment to find it too.';

/**
 * Adds to an answer that it may lack what is archived and not indexed yet, as after an import.
 * @param waiting how many items waited when the search began, {@link MANY} at most
 */
export function withWaiting(answer: SearchAnswer, waiting: number): SearchAnswer {
  if (waiting < MANY && (waiting === 0 || answer.items.length > 0)) return answer;
  return { ...answer, notes: [...answer.notes, NOTE] };
}
