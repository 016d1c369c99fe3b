import type { Round, ScenarioFunction } from '../../../../e2e/simulator/index.ts';

/** What a test agent's one tool prints: as many lines as the command asks for. */
export function run(command: string): string {
  const lines = Number(/lines=(\d+)/.exec(command)?.[1] ?? 1);
  return Array.from(
    { length: lines },
    (_, line) => `${command} line ${line} of the output that nobody reads`,
  ).join('\n');
}

/**
 * The scripted model of these tests. It thinks and runs as many commands as the typed words say (`rounds=2 lines=60`), then
 * answers; a question for a code word it answers only from what our tool reads back. It counts the rounds of a task itself:
 * those that have left its view would be done again.
 */
export function codeWordsModel(): ScenarioFunction {
  const done = new Map<string, number>();
  return (turn): Round | undefined => {
    if (turn.prompt.startsWith('What'))
      return {
        steps: [{ recall: { tool: 'context-mode-search', form: 'HARBOUR-\\d+', by: 'q', shared: 0 } }],
      };
    const typed = turn.typed.at(-1) ?? turn.prompt;
    const rounds = Number(/rounds=(\d+)/.exec(typed)?.[1] ?? 0);
    const round = done.get(typed) ?? 0;
    done.set(typed, round + 1);
    if (round >= rounds) return { steps: [{ think: 'done' }, { say: `Finished ${typed.slice(0, 20)}.` }] };
    const command = `step ${round} lines=${/lines=(\d+)/.exec(typed)?.[1] ?? '1'}`;
    const call =
      turn.protocol === 'anthropic'
        ? { call: 'Bash', input: { command } }
        : { call: 'exec_command', input: { cmd: command } };
    return { steps: [{ think: `round ${round}` }, call] };
  };
}
