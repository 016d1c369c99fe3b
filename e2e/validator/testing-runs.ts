import { deepEqual, ok } from 'node:assert/strict';
import fc from 'fast-check';
import type { JsonObject } from '../simulator/json.ts';
import type { JudgeOptions } from '../simulator/judge.ts';
import { type Judged, judgements } from './testing-agreement.ts';
import { Choices } from './testing-choices.ts';
import { Composer } from './testing-edits.ts';
import { type Exception, exceptionOf } from './testing-exceptions.ts';
import { messagesBody } from './testing-messages.ts';
import { MESSAGES, mutated, RESPONSES } from './testing-mutations.ts';
import { responsesBody } from './testing-responses.ts';

/** A made-up case: a body that both take, and what the provider remembers of it. */
function caseOf(
  protocol: Judged,
  choose: Choices,
): { readonly body: JsonObject; readonly options: JudgeOptions } {
  return protocol === 'anthropic' ? { body: messagesBody(choose), options: {} } : responsesBody(choose);
}

/** How many cases, made from which seed. The same seed makes the same cases. */
export interface AgreementRun {
  readonly protocol: Judged;
  readonly count: number;
  readonly seed: number;
}

/** What a run saw. */
export interface AgreementCounts {
  taken: number;
  refused: number;
  /** How often each exception was what they disagreed by. */
  readonly exceptions: Map<Exception, number>;
}

const numbers = fc.uint16Array({ minLength: 20, maxLength: 260, size: 'max' });

/**
 * Random edits of random conversations, judged by themselves: validator and provider take and refuse the same bodies
 * but for the listed exceptions, both take every body before the edits, and no edit passes as kept.
 * @throws with the smallest case that breaks it
 */
export function runAgreement({ protocol, count, seed }: AgreementRun): AgreementCounts {
  const counts: AgreementCounts = { taken: 0, refused: 0, exceptions: new Map() };
  const shape = protocol === 'anthropic' ? MESSAGES : RESPONSES;
  fc.assert(
    fc.property(numbers, (list) => {
      const choose = new Choices(list);
      const { body, options } = caseOf(protocol, choose);
      deepEqual(judgements(protocol, body, body, [], options), { validator: { ok: true }, provider: null });
      const edited = mutated(body, shape, choose);
      const judged = judgements(protocol, edited, edited, [], {});
      const exception = exceptionOf(protocol, judged);
      ok(exception !== null, JSON.stringify(judged));
      if (exception !== 'agreed')
        counts.exceptions.set(exception, (counts.exceptions.get(exception) ?? 0) + 1);
      else if (judged.validator.ok) counts.taken++;
      else counts.refused++;
      if (JSON.stringify(edited) !== JSON.stringify(body))
        ok(!judgements(protocol, body, edited, [], options).validator.ok);
    }),
    { numRuns: count, seed },
  );
  return counts;
}

/**
 * Our own edits, well and badly placed: what the validator takes the provider takes, without exception, and none of
 * them passes unnamed.
 * @throws with the smallest case that breaks it
 */
export function runEdits({ protocol, count, seed }: AgreementRun): AgreementCounts {
  const counts: AgreementCounts = { taken: 0, refused: 0, exceptions: new Map() };
  fc.assert(
    fc.property(numbers, (list) => {
      const choose = new Choices(list);
      const { body, options } = caseOf(protocol, choose);
      const { edited, edits } = new Composer(body, choose).compose();
      const { validator, provider } = judgements(protocol, body, edited, edits, options);
      if (validator.ok) counts.taken++;
      else counts.refused++;
      ok(!validator.ok || provider === null, JSON.stringify({ edits, provider }));
      if (JSON.stringify(edited) !== JSON.stringify(body))
        ok(!judgements(protocol, body, edited, [], options).validator.ok);
    }),
    { numRuns: count, seed },
  );
  return counts;
}
