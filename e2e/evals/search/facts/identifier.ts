import { word } from '../filler.ts';
import type { Maker } from './fact.ts';

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
/** A name in code, asked for in any of its spellings. */
export const identifier: Maker = (random, at) => {
  const [one, two, three] = [word(random), word(random), word(random)];
  const parts = [one, two === one ? 'ledger' : two, three === one || three === two ? 'drift' : three];
  const camel = parts.map((part, n) => (n === 0 ? part : capital(part))).join('');
  const forms = [
    `export function ${camel}(input: string): number {`,
    `def ${parts.join('_')}(rows):`,
    `.${parts.join('-')} { display: none }`,
    `const ${parts.join('_').toUpperCase()} = ${at};`,
  ];
  return {
    kind: 'identifier',
    carrier: 'result',
    text: `${random.below(90)}\t${random.pick(forms)}\n\t  return ${at};`,
    question: random.pick([
      `Where is ${parts.join(' ')} defined?`,
      camel,
      parts.join('_'),
      `the function that does ${parts.join(' ')}`,
    ]),
    distractors: [`The ${parts[0]} and the ${parts[2]} are fine.`, `We ${parts[1]} every ${parts[0]}.`],
  };
};
