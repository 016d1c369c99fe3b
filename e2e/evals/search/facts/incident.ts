import type { Carrier, Maker } from './fact.ts';
import { PEOPLE, SUBSYSTEMS } from './subjects.ts';

const CAUSES = [
  ['ran out of disk', 'old dumps were deleted', 'no space left'],
  ['kept a lock for an hour', 'the transaction was cut in two', 'everything waited'],
  ['got a broken certificate', 'a new one was rolled out', 'the handshake failed'],
  ['was fed a file of 9 GB', 'uploads are measured first now', 'memory was gone'],
  ['looped over a symbolic link', 'links are not followed any more', 'the walk never ended'],
  ['trusted a clock that jumped', 'monotonic time is used now', 'timers fired at once'],
] as const;

/** Asked in other words than it was told; texts about the same subject use the words of the question. */
export const incident: Maker = (random, at) => {
  const [name, told] = SUBSYSTEMS[(at * 13 + 5) % SUBSYSTEMS.length] ?? SUBSYSTEMS[0];
  const [cause, cure, sign] = CAUSES[at % CAUSES.length] ?? CAUSES[0];
  const who = random.pick(PEOPLE);
  return {
    kind: 'incident',
    carrier: random.pick<Carrier>(['typed', 'answer', 'result']),
    text: `Post-mortem by ${who}: on Tuesday the ${name} ${cause} (${sign}); ${cure}.`,
    question: random.pick([
      `What brought down ${told} when ${who} was on call?`,
      `Root cause of the ${name} outage that ${who} wrote up?`,
      `How did ${who} fix the crash of the ${name}?`,
      `Why did the ${name} go down on Tuesday?`,
    ]),
    distractors: [
      `Was there an outage of the ${name}? What was the root cause, and who was on call?`,
      `${who} was on call and brought cake. No crash, nothing went down.`,
      `How do we fix a crash of the ${random.pick(SUBSYSTEMS)[0]} when it goes down on Tuesday?`,
      `The ${name} did not go down on Monday; ${random.pick(PEOPLE)} looked at it.`,
      `A root cause of the outage is not known yet.`,
    ],
  };
};
