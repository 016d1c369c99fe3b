import type { Scenario, Step } from '../simulator/index.ts';

/** What happens in one turn: the typed words, what the scripted model does in each round, what its tools give back. */
export interface DemoTurn {
  readonly prompt: string;
  /** One list of steps a round. */
  readonly rounds: readonly (readonly Step[])[];
  /** What the tool calls of the turn answer, in the order in which they are made. An array is content as it stands. */
  readonly results?: readonly (string | readonly object[])[];
  /** The prompt that a sub-agent is given for a call of the tool `Agent`; its own turn is scripted like any other. */
  readonly delegated?: DemoTurn;
}

/** One session of the scripted day. */
export interface DemoConversation {
  readonly agent: 'claude-code' | 'codex' | 'opencode' | 'pi';
  readonly folder: string;
  readonly branch: string;
  readonly remote: string;
  readonly turns: readonly DemoTurn[];
}

/** The simulator's scenarios for a day: one for each turn, matched by its typed words. */
export function scenariosOf(day: readonly DemoConversation[]): Scenario[] {
  const turns = day.flatMap((conversation) => conversation.turns);
  const all = turns.flatMap((turn) => (turn.delegated === undefined ? [turn] : [turn, turn.delegated]));
  return all.map((turn, index) => ({
    id: `demo-${index}`,
    when: { equals: turn.prompt, ...(turns.includes(turn) ? {} : { kind: 'sub' as const }) },
    rounds: turn.rounds.map((steps) => ({ steps })),
  }));
}
