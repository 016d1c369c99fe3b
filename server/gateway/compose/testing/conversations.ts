import type { Round, ScenarioFunction, Step } from '../../../../e2e/simulator/index.ts';

/** What a turn of a random conversation asks of the scripted model. */
export interface Task {
  /** Rounds of tool calls, calls in each, and lines that each of them prints. */
  readonly rounds: number;
  readonly calls: number;
  readonly lines: number;
  /** What of our tool is called in the first round: nothing, it alone, it beside the agent's own calls. */
  readonly hidden: 'none' | 'alone' | 'mixed';
  /** The file that its first round reads beside its calls, by the Messages API; 0: none. */
  readonly file: number;
}

/** What a person types to have a task done; no two are the same. */
export function wordsOf(number: number, { rounds, calls, lines, hidden, file }: Task): string {
  return `job ${number} rounds=${rounds} calls=${calls} lines=${lines} hidden=${hidden} file=${file} end`;
}

/** The scripted model that does such tasks. It counts the rounds of each itself: those that left its view are not done again. */
export function taskModel(): ScenarioFunction {
  const done = new Map<string, number>();
  return (turn): Round => {
    const typed = turn.typed.at(-1) ?? turn.prompt;
    const read = (name: string) => Number(new RegExp(`${name}=(\\d+)`).exec(typed)?.[1] ?? 0);
    const round = done.get(typed) ?? 0;
    done.set(typed, round + 1);
    const hidden = /hidden=(\w+)/.exec(typed)?.[1] ?? 'none';
    const hasTool = turn.tools.some(({ name }) => name === 'context-mode-search');
    const ours: Step = { call: 'context-mode-search', input: { q: 'job' } };
    const asks = round === 0 && hidden !== 'none' && hasTool;
    const think: Step = { think: `round ${round}` };
    if (asks && hidden === 'alone') return { steps: [think, { say: 'I look it up.' }, ours] };
    const last = read('rounds') + (hidden === 'alone' && hasTool ? 1 : 0);
    const own = round < last ? read('calls') : 0;
    if (own === 0 && !asks) return { steps: [think, { say: `Finished ${typed.slice(0, 8)} at ${round}.` }] };
    const file = round === 0 && turn.protocol === 'anthropic' ? read('file') : 0;
    const reads: Step[] =
      file === 0 ? [] : [{ call: 'Read', input: { file_path: `/home/dev/file-${file}.txt` } }];
    const calls = Array.from({ length: Math.max(1, own) }, (_, index): Step => {
      const command = `step ${round}.${index} lines=${read('lines')}`;
      return turn.protocol === 'anthropic'
        ? { call: 'Bash', input: { command } }
        : { call: 'exec_command', input: { cmd: command } };
    });
    return {
      steps: asks
        ? [think, calls[0] as Step, ours, ...reads, ...calls.slice(1)]
        : [think, ...reads, ...calls],
    };
  };
}
