import type { Maker } from './fact.ts';
import { number, SUBSYSTEMS } from './subjects.ts';

const SETTINGS = [
  ['retry limit', 'How often is it tried again in', 'attempts'],
  ['request timeout', 'How long does it wait in', 'seconds'],
  ['batch size', 'How many rows go at once through', 'rows'],
  ['retention period', 'How many days are things kept by', 'days'],
  ['rate limit', 'How many requests a minute are let through by', 'requests per minute'],
  ['cache lifetime', 'How long are entries cached by', 'minutes'],
  ['pool size', 'How many connections are pooled for', 'connections'],
] as const;
/** A setting and its value. */
export const setting: Maker = (random, at) => {
  const [name, told] = SUBSYSTEMS[(at * 5 + 1) % SUBSYSTEMS.length] ?? SUBSYSTEMS[0];
  const [what, ask, unit] = SETTINGS[at % SETTINGS.length] ?? SETTINGS[0];
  const value = number(random);
  const key = `${name.replaceAll(' ', '_')}_${what.replaceAll(' ', '_')}`;
  const forms = [
    `The ${what} of the ${name} is ${value} ${unit} from today on.`,
    `${key.toUpperCase()}=${value}`,
    `  ${name.replaceAll(' ', '-')}:\n    ${what.replaceAll(' ', '-')}: ${value} # ${unit}`,
  ];
  const form = random.below(forms.length);
  return {
    kind: 'setting',
    carrier: form === 0 ? 'typed' : 'result',
    text: forms[form] ?? '',
    question: random.pick([
      `What is the ${what} for the ${name}?`,
      `${what} ${name}`,
      `${ask} the ${name}?`,
      `What ${what} did we set for ${told}?`,
    ]),
    distractors: [
      `The ${what} of the ${random.pick(SUBSYSTEMS)[0]} is under discussion.`,
      `The ${name} has another ${random.pick(SETTINGS)[0]} in staging, nobody knows which ${unit}.`,
    ],
  };
};
