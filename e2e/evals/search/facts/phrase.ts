import { word } from '../filler.ts';
import type { Maker } from './fact.ts';
import { SUBSYSTEMS } from './subjects.ts';

/** Words that stand beside each other. */
export const phrase: Maker = (random, at) => {
  const [one, two, three] = [word(random), word(random), word(random)];
  const [system] = SUBSYSTEMS[(at * 11 + 2) % SUBSYSTEMS.length] ?? SUBSYSTEMS[0];
  return {
    kind: 'phrase',
    carrier: random.below(2) === 0 ? 'answer' : 'typed',
    text: `In the ${system} I call it the ${one} ${two} ${three} rule, number ${100 + at}.`,
    question: random.pick([`"${one} ${two} ${three} rule"`, `"${one} ${two} ${three}" ${system}`]),
    distractors: [
      `The ${three} ${two} ${one} of the ${system} is no rule.`,
      `${one}, ${two} and ${three}: a rule for each.`,
    ],
  };
};
