import { identifier, word } from '../filler.ts';
import type { Maker } from './fact.ts';

/** A call and its result, each of which holds half of what is asked for. */
export const call: Maker = (random) => {
  const path = `src/${word(random)}/${word(random)}-${random.below(500)}.ts`;
  const name = identifier(random);
  return {
    kind: 'call',
    carrier: 'call-and-result',
    text: JSON.stringify({ file_path: path }),
    result: `1\timport { ${word(random)} } from './${word(random)}.ts';\n2\tthrow new ${name}('${word(random)}');`,
    question: random.pick([
      `Where in ${path.split('/').at(-1)} is ${name} thrown?`,
      `${path} ${name}`,
      `does ${path.slice(4)} throw ${name}?`,
    ]),
    distractors: [`${name} should be thrown nowhere.`, `I looked at ${path} and found nothing.`],
  };
};
