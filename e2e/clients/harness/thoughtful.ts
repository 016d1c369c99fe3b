import type { Round, Scenario, ScenarioFunction } from '../../simulator/index.ts';

/** How long the model thinks before it answers. */
const THINKING_MS = 300;

/**
 * The scenario with a pause at the beginning of each answer. No provider answers within milliseconds; an agent that
 * closes its connection right after such an answer is gone before the product can look up whose connection it was.
 */
export function thoughtful(scenario: Scenario | ScenarioFunction): Scenario | ScenarioFunction {
  const slower = (round: Round): Round => ({ ...round, steps: [{ wait: THINKING_MS }, ...round.steps] });
  if (typeof scenario !== 'function') return { ...scenario, rounds: scenario.rounds.map(slower) };
  return (turn) => {
    const round = scenario(turn);
    return round === undefined ? undefined : slower(round);
  };
}
