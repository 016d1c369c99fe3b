import type { Maker } from './fact.ts';
import { PEOPLE, SUBSYSTEMS } from './subjects.ts';

const CHOICES = [
  ['Redis', 'Postgres', 'it survives a restart'],
  ['a cron job', 'a queue', 'runs must not overlap'],
  ['JSON', 'CBOR', 'mobile data is expensive'],
  ['polling', 'server-sent events', 'proxies cut idle connections'],
  ['UUIDv4', 'UUIDv7', 'the index stays compact'],
  ['REST', 'GraphQL', 'partners write their own clients'],
  ['soft deletes', 'hard deletes', 'the law asks for it'],
  ['feature branches', 'trunk', 'reviews got too long'],
  ['Jest', 'Vitest', 'start-up takes a second less'],
  ['floating point', 'integer cents', 'sums came out wrong'],
  ['one big table', 'monthly partitions', 'dropping old rows must be cheap'],
  ['S3', 'local disks', 'egress is half of the bill'],
] as const;

/** What was decided, and why. */
export const decision: Maker = (random, at) => {
  const [name, told] = SUBSYSTEMS[at % SUBSYSTEMS.length] ?? SUBSYSTEMS[0];
  const [old, fresh, because] = CHOICES[Math.floor(at / 2) % CHOICES.length] ?? CHOICES[0];
  const who = random.pick(PEOPLE);
  return {
    kind: 'decision',
    carrier: random.below(2) === 0 ? 'typed' : 'answer',
    text: random.pick([
      `${who} and I talked: the ${name} moves from ${old} to ${fresh}, because ${because}.`,
      `Let's settle this now. For the ${name} we take ${fresh} and not ${old}; ${because}.`,
      `OK, decided with ${who}: ${fresh} in the ${name} (so no more ${old}), as ${because}.`,
    ]),
    question: random.pick([
      `Why did we leave ${old} in the ${name}?`,
      `What was decided about ${old} for the ${name}, and why?`,
      `Which replacement for ${old} did we choose in ${told}?`,
      `What was the reason for ${fresh} in ${told}?`,
    ]),
    distractors: [
      `The ${name} was green again after the second run.`,
      `Somebody should document why ${old} was chosen in the ${random.pick(SUBSYSTEMS)[0]}.`,
      `What was decided about the ${name} last week? I do not remember, and nothing was written down about the reason.`,
    ],
  };
};
