export { SimulatorClock } from './clock.ts';
export type { Fault, FaultMatcher, FaultRule } from './faults.ts';
export {
  encryptCompaction,
  encryptReasoning,
  type JudgeOptions,
  judgeAnthropic,
  judgeOpenai,
  type Refusal,
  signThinking,
} from './judge.ts';
export { RULES, type RuleName, type Rules, rulesWith } from './rules.ts';
export type { TurnKind } from './script/kinds.ts';
export type { Round, Scenario, ScenarioFunction, Step, Turn } from './script/types.ts';
export { type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts';
export { type Charge, headerOf, type LoggedAnswer, type LoggedRequest } from './wire/log.ts';
export type { Settings } from './world.ts';
