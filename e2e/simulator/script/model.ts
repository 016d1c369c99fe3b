import type { JsonObject } from '../json.ts';
import { closingAnswer, echoAnswer, sideAnswer } from './builtins.ts';
import { resolveUse } from './neutral-tools.ts';
import { fill, fillJson } from './placeholders.ts';
import { recallPart } from './recall.ts';
import { searchParts } from './tool-search.ts';
import type {
  Matcher,
  NeutralUse,
  Part,
  Plan,
  RecallStep,
  Round,
  Scenario,
  ScenarioFunction,
  SearchStep,
  Step,
  Turn,
} from './types.ts';

const CHUNK_CODE_POINTS = 24;

/** The scripted model: scenarios in the order of their registration, the latest first; then the built-in answers. */
export class ScriptedModel {
  #scenarios: (Scenario | ScenarioFunction)[] = [];

  /** Registers a scenario. One with an id that is already there replaces it. */
  add(scenario: Scenario | ScenarioFunction): void {
    if (typeof scenario !== 'function') this.remove(scenario.id);
    this.#scenarios.unshift(scenario);
  }

  /** Takes a scenario out; nothing happens when there is none of that id. */
  remove(id: string): void {
    this.#scenarios = this.#scenarios.filter((other) => typeof other === 'function' || other.id !== id);
  }

  /** Takes all scenarios out. */
  clear(): void {
    this.#scenarios = [];
  }

  /** The answer to a turn. The same turn and scenarios always give the same plan. */
  plan(turn: Turn): Plan {
    for (const scenario of this.#scenarios) {
      if (typeof scenario === 'function') {
        const round = scenario(turn);
        if (round !== undefined) return toPlan(round, turn, [], 'function');
        continue;
      }
      const groups = matchGroups(scenario.when, turn);
      if (groups === undefined) continue;
      const round = roundOf(scenario, turn.round);
      return toPlan(round, turn, groups, scenario.id);
    }
    const builtin = sideAnswer(turn) ?? echoAnswer(turn);
    return toPlan(builtin.round, turn, [], builtin.name);
  }
}

/** Side requests are answered by a scenario only when its matcher names their kind. */
function matchGroups(when: Matcher, turn: Turn): string[] | undefined {
  const kinds = when.kind === undefined ? ['main', 'sub'] : [when.kind];
  if (!kinds.includes(turn.kind)) return undefined;
  if (when.protocol !== undefined && when.protocol !== turn.protocol) return undefined;
  if (when.model !== undefined && when.model !== turn.model) return undefined;
  const prompt = turn.prompt.trim();
  if (when.equals !== undefined && prompt !== when.equals.trim()) return undefined;
  if (when.startsWith !== undefined && !prompt.startsWith(when.startsWith)) return undefined;
  if (when.contains !== undefined && !prompt.includes(when.contains)) return undefined;
  if (when.pattern === undefined) return [];
  const match = new RegExp(when.pattern, 'su').exec(prompt);
  return match === null ? undefined : match.map((group) => group ?? '');
}

function roundOf(scenario: Scenario, round: number): Round {
  const last = scenario.rounds.at(-1);
  const found = scenario.rounds[round];
  if (found !== undefined) return found;
  if (last === undefined || last.steps.some((step) => 'call' in step || 'use' in step))
    return closingAnswer().round;
  return last;
}

function toPlan(round: Round, turn: Turn, groups: readonly string[], scenario: string): Plan {
  return {
    parts: round.steps.flatMap((step) => toParts(step, turn, groups)),
    stop: round.stop,
    usage: round.usage,
    fault: round.fault,
    scenario,
  };
}

function toParts(step: Step, turn: Turn, groups: readonly string[]): Part[] {
  if ('search' in step) return searchParts(step, turn);
  return 'recall' in step ? [recallPart(step, turn)] : [toPart(step, turn, groups)];
}

function toPart(step: Exclude<Step, RecallStep | SearchStep>, turn: Turn, groups: readonly string[]): Part {
  if ('say' in step) {
    const chunks = step.chunks;
    if (typeof chunks === 'object') {
      return { kind: 'text', chunks: chunks.map((piece) => fill(piece, turn, groups)) };
    }
    return { kind: 'text', chunks: cut(fill(step.say, turn, groups), chunks ?? CHUNK_CODE_POINTS) };
  }
  if ('think' in step) {
    return { kind: 'thinking', text: fill(step.think, turn, groups), redacted: step.redacted === true };
  }
  if ('use' in step) return resolveUse(fillJson(step, turn, groups) as NeutralUse & JsonObject, turn);
  if ('block' in step) return { kind: 'block', block: fillJson(step.block, turn, groups) };
  if ('wait' in step) return { kind: 'wait', ms: step.wait };
  if ('gate' in step) return { kind: 'gate', name: step.gate };
  const offered = turn.tools.find(
    (tool) => tool.name === step.call && (step.namespace === undefined || tool.namespace === step.namespace),
  );
  return {
    kind: 'call',
    name: step.call,
    namespace: step.namespace ?? offered?.namespace,
    id: step.id,
    input:
      typeof step.input === 'string' ? fill(step.input, turn, groups) : fillJson(step.input, turn, groups),
    custom: offered?.kind === 'custom',
  };
}

/** A text in pieces of so many code points; surrogate pairs stay whole. An empty text is one empty piece. */
export function cut(text: string, codePoints: number): string[] {
  if (text.length <= codePoints) return [text];
  const points = Array.from(text);
  const pieces: string[] = [];
  const size = Math.max(1, codePoints);
  for (let start = 0; start < points.length; start += size)
    pieces.push(points.slice(start, start + size).join(''));
  return pieces;
}
