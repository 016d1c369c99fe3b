import { sha256 } from '../ids.ts';
import { asObject, asString, type JsonObject } from '../json.ts';
import type { TokenRule } from '../tokens.ts';
import { type Position, positionsOf } from './cache.ts';

/** Prints that are kept before the oldest leave. */
const KEPT = 2_000;

type Print = {
  readonly model: string;
  readonly tools: string;
  readonly system: string;
  readonly positions: readonly Position[];
};

/** Prints of earlier prompts by the ids of their answers, to say why a later one could not use their cache. */
export class CacheDiagnostics {
  readonly #prints = new Map<string, Print>();

  /** Forgets everything. */
  clear(): void {
    this.#prints.clear();
  }

  /** Keeps the print of a prompt under its answer's id. */
  keep(id: string, body: JsonObject, rule: TokenRule): void {
    this.#prints.set(id, printOf(body, rule));
    const oldest = this.#prints.keys().next().value;
    if (this.#prints.size > KEPT && oldest !== undefined) this.#prints.delete(oldest);
  }

  /** The `diagnostics` member of an answer; `undefined` when the request did not ask for it. */
  compare(body: JsonObject, rule: TokenRule): JsonObject | undefined {
    const wish = asObject(body.diagnostics);
    if (wish === undefined) return undefined;
    const id = asString(wish.previous_message_id);
    if (id === undefined) return { cache_miss_reason: null };
    const before = this.#prints.get(id);
    if (before === undefined) return { cache_miss_reason: { type: 'previous_message_not_found' } };
    return { cache_miss_reason: missReason(before, printOf(body, rule)) };
  }
}

function printOf(body: JsonObject, rule: TokenRule): Print {
  return {
    model: asString(body.model) ?? '',
    tools: sha256(JSON.stringify(body.tools ?? [])),
    system: sha256(JSON.stringify(body.system ?? '')),
    positions: positionsOf(body, '', rule),
  };
}

/** The first difference in the order model, system, tools, messages; null where the earlier prompt goes on. */
function missReason(before: Print, now: Print): JsonObject | null {
  const total = before.positions.at(-1)?.tokens ?? 0;
  const hashes = new Set(now.positions.map((position) => position.hash));
  const shared = before.positions.findLast((position) => hashes.has(position.hash))?.tokens ?? 0;
  const missed = { cache_missed_input_tokens: total - shared };
  if (before.model !== now.model) return { type: 'model_changed', cache_missed_input_tokens: total };
  if (before.system !== now.system) return { type: 'system_changed', ...missed };
  if (before.tools !== now.tools) return { type: 'tools_changed', ...missed };
  return shared === total ? null : { type: 'messages_changed', ...missed };
}
