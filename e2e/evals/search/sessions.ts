import type { Carrier, Fact, QuestionClass } from './facts/fact.ts';
import { factsOf } from './facts.ts';
import { codeLines, filePath, identifier, logLines, prose, word } from './filler.ts';
import { type Random, randomFrom } from './random.ts';

/** One item of a generated session. */
export interface Said {
  readonly kind: 'input' | 'answer' | 'reasoning' | 'tool_call' | 'tool_result';
  readonly text: string;
  /** Names call and result. */
  readonly call?: { readonly id: string; readonly tool: string; readonly path: string | null };
  /** Facts that this item is the evidence of. */
  readonly evidence: readonly number[];
}

/** A question with the class it is of; its number is the number of its fact. */
export interface Question {
  readonly q: string;
  readonly kind: QuestionClass;
}

/** Generated sessions and the questions about them. */
export interface Collection {
  readonly sessions: readonly (readonly Said[])[];
  readonly questions: readonly Question[];
}

/** Sessions of code work with facts scattered in them, and others that share their words. */
export function collectionOf(
  seed: number,
  {
    sessions,
    turns,
    perClass,
  }: { readonly sessions: number; readonly turns: number; readonly perClass: number },
): Collection {
  const random = randomFrom(seed);
  const facts = factsOf(random, perClass);
  const places = sessions * turns;
  const planted = new Map<number, Said[][]>();
  const plant = (said: Said[]) => {
    const at = random.below(places);
    planted.set(at, [...(planted.get(at) ?? []), said]);
  };
  for (const [at, fact] of facts.entries()) {
    plant(carried(random, fact.carrier, fact, [at]));
    for (const [n, text] of fact.distractors.entries()) {
      const carrier = random.pick<Carrier>(['typed', 'answer', 'result']);
      plant(carried(random, carrier, { text, result: text }, [], `${at}-${n}`));
    }
  }
  return {
    sessions: Array.from({ length: sessions }, (_, session) =>
      Array.from({ length: turns }, (_, turn) => [
        ...turnOf(random, `${session}-${turn}`),
        ...(planted.get(session * turns + turn) ?? []).flat(),
      ]).flat(),
    ),
    questions: facts.map((fact) => ({ q: fact.question, kind: fact.kind })),
  };
}

/** A turn of everyday work: somebody asks, files are read, commands run, an answer. */
function turnOf(random: Random, name: string): readonly Said[] {
  const said: Said[] = [{ kind: 'input', text: prose(random, 1 + random.below(3)), evidence: [] }];
  if (random.below(3) === 0) said.push({ kind: 'reasoning', text: prose(random, 2), evidence: [] });
  for (let round = random.below(4); round > 0; round -= 1) {
    const reads = random.below(2) === 0;
    const path = filePath(random);
    const call = { id: `${name}-${round}`, tool: reads ? 'Read' : 'Bash', path: reads ? path : null };
    const input = reads
      ? { file_path: path }
      : { command: `grep -rn ${identifier(random)} src/${word(random)}` };
    said.push({ kind: 'tool_call', text: JSON.stringify(input), call, evidence: [] });
    const text = reads ? codeLines(random, 20 + random.below(120)) : logLines(random, 5 + random.below(60));
    said.push({ kind: 'tool_result', text, call, evidence: [] });
  }
  said.push({ kind: 'answer', text: prose(random, 2 + random.below(5)), evidence: [] });
  return said;
}

/** A fact in the kind of item that carries it, with what usually stands around it. */
function carried(
  random: Random,
  carrier: Carrier,
  { text, result = '' }: Pick<Fact, 'text' | 'result'>,
  evidence: readonly number[],
  name = `fact-${evidence.join()}`,
): Said[] {
  if (carrier === 'typed') {
    const around = random.below(2) === 0 ? `${prose(random, 1)} ${text}` : text;
    return [{ kind: 'input', text: around, evidence }];
  }
  if (carrier === 'answer')
    return [
      {
        kind: 'answer',
        text: `${prose(random, random.below(4))} ${text} ${prose(random, random.below(3))}`,
        evidence,
      },
    ];
  const path = filePath(random);
  const reads = carrier === 'call-and-result';
  const call = { id: name, tool: reads ? 'Read' : 'Bash', path: reads ? path : null };
  const input = carrier === 'result' ? JSON.stringify({ command: `cat ${path}` }) : text;
  const around = random.below(6) === 0 ? 600 : 20;
  const output =
    carrier === 'input'
      ? logLines(random, 6)
      : `${logLines(random, random.below(around))}\n${carrier === 'result' ? text : result}\n${logLines(random, random.below(around))}`;
  return [
    { kind: 'tool_call', text: input, call, evidence },
    { kind: 'tool_result', text: output, call, evidence },
  ];
}
