import type { Round, ScenarioFunction, Step, Turn } from '../../simulator/index.ts';

/** What is said early and asked late. The others are said too, so that the first number that comes along is not the answer. */
export const HARBOUR = 'HARBOUR-4711';
export const TIDE = 'MARK-8812';
export const FIRST = 'BERTH-3096';

/** Files of the repository: two tables that are read early and emptied before anyone asks. */
export const FILES = {
  'tide-table.txt': `Tides of the year\nhighest mark ${TIDE} on the quay\n`,
  'wind-table.txt': 'Winds of the year\nhighest mark MARK-1207 on the mast\n',
};

/** What is typed, in its order. */
export const TYPED = {
  plant: `The code word of the harbour office is ${HARBOUR}. Read both tables.`,
  others:
    'The code word of the airport office is HARBOUR-2290, that of the station office was HARBOUR-6143 and is HARBOUR-5178 now. Empty both tables.',
  again: 'Read tide-table.txt once more and set its highest mark to MARK-9000.',
  survey: (number: number) => `Survey ${number}: list the rows.`,
  delegate: 'Let a sub-agent count the berths.',
  long: 'Inspect all berths, one after the other, and say which number stood at the first one.',
  longest:
    'Inspect all berths of all harbours, one after the other, and say which number stood at the first one.',
  byQ: 'What is the code word of the harbour office?',
  byDocid: 'Which highest mark stood in tide-table.txt?',
  inView: 'Say the code word of the harbour office once more.',
} as const;

/** The task of the sub-agent. */
export const TASK = 'Count the berths of the inner harbour and say the number of the first one.';
const SUB_STEPS = 12;
/** Rounds of the long turn. */
export const ROUNDS = 60;
/** Rounds of the longest. */
export const MOST_ROUNDS = 300;

const TOOL = 'context-mode-search';

const READ_TIDES = { use: 'read', path: 'tide-table.txt' } as const;

/** What the model says in a day at the harbour. It knows nothing but what it is sent or fetches. */
export const harbour: ScenarioFunction = (turn) => {
  if (turn.kind === 'sub') return turn.prompt === TASK ? berths(turn, SUB_STEPS, 6_000) : undefined;
  if (turn.kind !== 'main') return undefined;
  switch (turn.prompt) {
    case TYPED.plant:
      return rounds(turn, [
        [{ think: 'Both at once.' }, READ_TIDES, { use: 'read', path: 'wind-table.txt' }],
        [{ think: 'Read.' }, { say: 'I have read both tables.' }],
      ]);
    case TYPED.others:
      return rounds(turn, [
        [{ use: 'shell', command: 'for table in *-table.txt; do : > $table; done' }],
        [{ say: 'Both are empty now.' }],
      ]);
    case TYPED.again:
      return raised(turn);
    case TYPED.delegate:
      return rounds(turn, [
        [delegation(turn)],
        ...(isClaude(turn) ? [] : [[{ use: 'await-agent' } as const]]),
        [{ say: 'It has counted: {{result}}' }],
      ]);
    case TYPED.long:
      return berths(turn, ROUNDS, 3_000);
    case TYPED.longest:
      return berths(turn, MOST_ROUNDS, 3_000);
    case TYPED.byQ:
      return asked('q', 'HARBOUR-\\d+', 0);
    case TYPED.byDocid:
      return asked('docid', 'MARK-\\d+', 0);
    case TYPED.inView:
      return asked('q', 'code word of the harbour office is (HARBOUR-\\d+)', 3);
    default:
      return turn.prompt.startsWith('Survey ') ? survey(turn) : undefined;
  }
};

function rounds(turn: Turn, steps: readonly (readonly Step[])[]): Round | undefined {
  const found = steps[turn.results.length];
  return found === undefined ? undefined : { steps: found };
}

/** Reads the table again and changes the line that the read gave: what was not given cannot be changed. */
function raised(turn: Turn): Round {
  if (turn.results.length === 0) return { steps: [{ think: 'Once more.' }, READ_TIDES] };
  if (turn.results.length > 1) return { steps: [{ think: 'Changed.' }, { say: 'It is set.' }] };
  const given = turn.results[0]?.map((result) => result.text).join('\n') ?? '';
  const old = /highest mark MARK-\d+/.exec(given)?.[0];
  if (old === undefined) return { steps: [{ say: `No mark is to be seen: ${given.slice(0, 200)}` }] };
  return { steps: [{ use: 'edit', path: 'tide-table.txt', old, new: 'highest mark MARK-9000' }] };
}

function asked(by: 'q' | 'docid', form: string, shared: number): Round {
  return { steps: [{ think: 'What was it?' }, { recall: { tool: TOOL, form, by, shared, tries: 3 } }] };
}

/** Rows of an output that is short enough to be sent whole, and of one that is trimmed where the archive is in time. */
const ROWS = 450;
const LONG_ROWS = 1_000;
/** What the parallel calls of a survey's rounds list. */
const SURVEYED = [
  ['north', 'south', 'front', 'back'],
  ['east', 'west', 'left', 'right'],
  ['above', 'below', 'inside', 'outside'],
] as const;

/**
 * Three rounds of four parallel calls, and thinking between them: together more than what a layout leaves free below the
 * limits of the plays. Where it stands the model reads from what is in view: a layout may have taken the first round away.
 */
function survey(turn: Turn): Round {
  const newest = turn.results.at(-1)?.map((result) => result.text) ?? [];
  const done = SURVEYED.findIndex(([side]) => newest.some((text) => text.includes(`row 1 of ${side} `)));
  const sides = SURVEYED[done + 1];
  if (sides === undefined) return { steps: [{ think: 'All there.' }, { say: `Done with ${turn.prompt}` }] };
  const rows = (side: string, at: number): Step => ({
    use: 'shell',
    command: `seq -f 'row %g of ${side} ${turn.prompt.slice(7, 8)}' 1 ${at === 0 && done < 0 ? LONG_ROWS : ROWS}`,
  });
  const first: Step = done < 0 ? { think: 'The rows.' } : { say: 'A part of it.' };
  return { steps: [first, ...sides.map(rows)] };
}

/** There the result of a sub-agent comes with the call. */
function isClaude(turn: Turn): boolean {
  return turn.tools.some((tool) => tool.name === 'Agent');
}

function delegation(turn: Turn): Step {
  if (!isClaude(turn)) return { use: 'agent', prompt: TASK };
  return {
    call: 'Agent',
    input: {
      description: 'Count berths',
      prompt: TASK,
      subagent_type: 'general-purpose',
      run_in_background: false,
    },
  };
}

/**
 * One turn of many rounds: each inspects a berth, every fifth with a second call beside it; in the middle our tool is
 * called alone, and once in one answer with a call of the agent's. The number of the first berth is asked at the end,
 * when nothing of it is in view any more. How far it got the model reads from the newest result alone.
 */
function berths(turn: Turn, last: number, bytes: number): Round {
  const newest = turn.results.at(-1)?.map((result) => result.text) ?? [];
  const done = Math.max(
    0,
    ...turn.results.flat().map(({ text }) => Number(/DONE-(\d+) *$/m.exec(text)?.[1] ?? 0)),
  );
  const fetched = newest.filter((text) => text.includes('context-mode-msg-')).join('\n');
  const ask: Step = { call: TOOL, input: { q: 'first berth' } };
  if (done === last) return theFirst(newest, ask);
  if (done === Math.floor(last / 2) && fetched === '') return { steps: [{ think: 'Once more?' }, ask] };
  const next = done + 1;
  const steps: Step[] = [inspection(next, bytes)];
  if (next % 3 === 0) steps.unshift({ think: `Berth ${next}.` });
  if (next % 5 === 0) steps.push({ use: 'shell', command: `sleep 0.1; echo depth of ${next}` });
  if (next === Math.floor(last / 4)) steps.push(ask);
  return { steps };
}

/** Looks for the first berth, and reads the place that was found where its lines alone do not tell. */
function theFirst(newest: readonly string[], ask: Step): Round {
  const text = newest.join('\n');
  const found = /first berth (BERTH-\d+)/.exec(text)?.[1];
  if (found !== undefined) return { steps: [{ say: `The first was ${found}.` }] };
  const place = /^(context-mode-msg-[0-9a-f]+) .*\n.*echo first berth/m.exec(text)?.[1];
  if (place !== undefined) return { steps: [{ call: TOOL, input: { docid: place } }] };
  return {
    steps: text.includes('context-mode-msg-')
      ? [{ say: 'It is not to be found.' }]
      : [{ think: 'The first one?' }, ask],
  };
}

function inspection(number: number, bytes: number): Step {
  const note = number === 1 ? `first berth ${FIRST}` : `berth ${number}`;
  // The number is made up of pieces, so that it stands in the result and not in the call.
  const [word = '', digits = ''] = note.split('-');
  const echo = digits === '' ? `echo ${note}` : `echo ${word}-$((${Number(digits)} + 0))`;
  const lines = Math.floor(bytes / 30);
  return {
    use: 'shell',
    command: `${echo}; seq -f 'plank %g of berth ${number}, sound' 1 ${lines}; echo DONE-${number}`,
  };
}
