import type { Round, ScenarioFunction, Step, Turn } from '../../simulator/index.ts';

const TOOL = 'context-mode-search';

/** The word of the rule that must hold to the end. */
export const RULE_WORD = 'ahoy-7319';

/** Files of the repository; the rule under the name that each agent reads. */
export const FILES = {
  'CLAUDE.md': `Close each note with the word ${RULE_WORD}, always.\n`,
  'AGENTS.md': `Close each note with the word ${RULE_WORD}, always.\n`,
  'harvest-report.txt': 'Harvest report\ngrand total TOTAL-40917 crates\n',
  'freight-report.txt': 'Freight report\ngrand total TOTAL-73350 tons\n',
};

/** What is asked at the end, and what the answer is. */
export interface Question {
  readonly prompt: string;
  readonly value: string;
  readonly form: string;
  readonly by: 'q' | 'docid';
}

/** Four typed facts and two totals of reports that are gone. */
export const QUESTIONS: readonly Question[] = [
  question('What is the release date of Pelican?', '2031-04-17', '\\d{4}-\\d\\d-\\d\\d', 'q'),
  question('What is the port of the staging server?', 'PORT-48317', 'PORT-\\d+', 'q'),
  question('What is the budget code of the winter migration?', 'KQ-5528', 'KQ-\\d+', 'q'),
  question('What is the badge of the billing owner?', 'BADGE-0671', 'BADGE-\\d+', 'q'),
  question('What grand total stood in harvest-report.txt?', 'TOTAL-40917', 'TOTAL-\\d+', 'docid'),
  question('What grand total stood in freight-report.txt?', 'TOTAL-73350', 'TOTAL-\\d+', 'docid'),
];

/** The steps before them. */
export const STEPS: readonly string[] = [
  [
    'Remember four things.',
    'The release date of Pelican is 2031-04-17.',
    'The port of the staging server is PORT-48317.',
    'The budget code of the winter migration is KQ-5528.',
    'The badge of the billing owner is BADGE-0671.',
  ].join('\n'),
  'Print harvest-report.txt and remove it.',
  'List table 1.',
  'Print freight-report.txt and remove it.',
  ...[2, 3, 4, 5, 6, 7].map((number) => `List table ${number}.`),
];

/** The last thing that is wanted. */
export const CLOSING = 'Write the closing note.';

/** The model of the day: it answers from nothing but what it is sent or fetches. */
export const day: ScenarioFunction = (turn) => {
  if (turn.kind !== 'main') return undefined;
  const asked = QUESTIONS.find((question) => question.prompt === turn.prompt);
  if (asked !== undefined) return answer(turn, asked);
  if (turn.prompt === CLOSING) return { steps: [{ say: closingNote(turn) }] };
  const printed = /^Print (\S+) and remove it\.$/.exec(turn.prompt)?.[1];
  if (printed !== undefined) return inTurn(turn, [{ use: 'read', path: printed }], removal(printed));
  const table = /^List table (\d)\.$/.exec(turn.prompt)?.[1];
  if (table !== undefined) return inTurn(turn, rows(table), []);
  return turn.prompt.startsWith('Remember') ? { steps: [{ think: 'Four.' }, { say: 'I will.' }] } : undefined;
};

function question(prompt: string, value: string, form: string, by: 'q' | 'docid'): Question {
  return { prompt, value, form, by };
}

/** Looked for in view first; then the tool is asked, where there is one. */
function answer(turn: Turn, { form, by }: Question): Round {
  const tries = turn.tools.some((tool) => tool.name === TOOL) ? 3 : 0;
  return { steps: [{ think: 'What was it?' }, { recall: { tool: TOOL, form, by, shared: 3, tries } }] };
}

function closingNote(turn: Turn): string {
  const word = /Close each note with the word (\S+), always/.exec(turn.text())?.[1];
  return `All is done.${word === undefined ? '' : ` ${word}`}`;
}

/** Two rounds of calls and an answer; how far it is the newest result tells, since rounds may have left the view. */
function inTurn(turn: Turn, first: readonly Step[], then: readonly Step[]): Round {
  const newest = turn.results
    .at(-1)
    ?.map((result) => result.text)
    .join('\n');
  if (newest === undefined) return { steps: [{ think: 'First this.' }, ...first] };
  if (then.length > 0 && !newest.includes('removed')) return { steps: [...then] };
  return { steps: [{ think: 'That is all.' }, { say: 'Done.' }] };
}

function rows(table: string): readonly Step[] {
  return ['east', 'west'].map((name) => ({
    use: 'shell',
    command: `seq -f 'row %g of table ${table} ${name}' 1 480`,
  }));
}

function removal(path: string): readonly Step[] {
  return [{ use: 'shell', command: `rm ${path.slice(0, 3)}*.txt && echo removed` }];
}
