import { identifier, word } from '../filler.ts';
import type { Maker } from './fact.ts';
import { SUBSYSTEMS } from './subjects.ts';

const ERRORS = [
  'TypeError',
  'RangeError',
  'ECONNRESET',
  'ENOSPC',
  'ValueError',
  'KeyError',
  'SIGBUS',
  'E2BIG',
  'EMFILE',
  'DeadlockDetected',
];
/** An error with its message and place. */
export const error: Maker = (random, at) => {
  const kind = ERRORS[at % ERRORS.length] ?? 'TypeError';
  const name = identifier(random);
  const [system] = random.pick(SUBSYSTEMS);
  const line = 10 + random.below(800);
  const text = `${kind}: cannot ${word(random)} '${name}' of undefined (at ${system.replaceAll(' ', '-')}.js:${line}:7)`;
  return {
    kind: 'error',
    carrier: 'result',
    text: `npm test\n\nFAIL ${system}\n  ${text}\n    at Object.<anonymous>`,
    question: random.pick([
      `Where did ${kind} come up with ${name}?`,
      text.slice(0, text.indexOf('(') - 1),
      `What failed with "'${name}' of undefined"?`,
      `${kind} in the ${system}, line ${line}`,
    ]),
    distractors: [`${kind} again, of undefined, somewhere else.`, `${name} is tested in the ${system}.`],
  };
};
