import { type Simulator, type SimulatorOptions, startSimulator } from '../../simulator/index.ts';

/**
 * No provider answers within milliseconds. An agent that closes its connection right after such an answer would be
 * gone before the product has looked up whose connection it was, and what cannot be told is not recorded.
 */
const LATENCY_MS = 300;

/** Starts a simulator that takes its time, as a provider does. */
export function startProvider(options: SimulatorOptions = {}): Promise<Simulator> {
  return startSimulator({ ...options, settings: { latencyMs: LATENCY_MS, ...options.settings } });
}
