import { sha256 } from '../ids.ts';
import { asObjects, asString, type Json, type JsonObject } from '../json.ts';
import { type TokenRule, tokensOfLength, unitsOf } from '../tokens.ts';
import { renderedItem } from './items.ts';
import type { OpenAiModel } from './models.ts';

/** The latest positions that a read considers. */
const CONSIDERED_POSITIONS = 80;

/** End of an input item: hash and tokens of everything up to and with it. */
export type InputPosition = { readonly hash: string; readonly tokens: number };

/** How an input's tokens divide; ordinary tokens are the total without the other two. */
export type InputSplit = {
  readonly totalTokens: number;
  readonly cachedTokens: number;
  readonly writtenTokens: number;
};

/** The positions of a Responses body: tools and settings first, then instructions, then every input item that is not `dropped`. */
export function inputPositions(
  body: JsonObject,
  scope: string,
  rule: TokenRule,
  dropped: ReadonlySet<number> = new Set(),
): InputPosition[] {
  const settings = [body.text ?? null, body.reasoning ?? null, body.service_tier ?? null];
  let hash = sha256(`${scope}\n${JSON.stringify(settings)}`);
  let tokens = 0;
  const positions: InputPosition[] = [];
  const add = (value: Json) => {
    hash = sha256(`${hash}\n${renderedItem(value)}`);
    tokens += tokensOfLength(unitsOf(value), rule);
    positions.push({ hash, tokens });
  };
  for (const tool of asObjects(body.tools)) add(tool);
  if (typeof body.instructions === 'string') add(body.instructions);
  for (const [index, item] of inputItems(body).entries()) if (!dropped.has(index)) add(item);
  return positions;
}

/** The input as items; a string is one user message. */
export function inputItems(body: JsonObject): JsonObject[] {
  const text = asString(body.input);
  return text === undefined ? asObjects(body.input) : [{ type: 'message', role: 'user', content: text }];
}

type Entry = { expiresAtMs: number; readable: boolean };

/**
 * The prompt cache of the Responses API. Models that charge for writes keep one entry per request, at its last item;
 * older ones keep one at every item. An entry lives so many minutes after its last use.
 */
export class InputCache {
  readonly #entries = new Map<string, Entry>();

  /** Forgets everything. */
  clear(): void {
    this.#entries.clear();
  }

  /** Splits an input and stores it; what is stored can be read once `publish` was called. */
  use(
    positions: readonly InputPosition[],
    model: OpenAiModel,
    nowMs: number,
    inSteps: boolean,
  ): { readonly split: InputSplit; readonly publish: () => void } {
    const totalTokens = positions.at(-1)?.tokens ?? 0;
    const lifetimeMs = model.cacheMinutes * 60_000;
    const isLong = totalTokens >= model.cacheMinimumTokens;
    let cachedTokens = 0;
    for (const position of positions.slice(-CONSIDERED_POSITIONS).reverse()) {
      const entry = this.#entries.get(position.hash);
      if (entry === undefined || !entry.readable || entry.expiresAtMs <= nowMs) continue;
      if (position.tokens < model.cacheMinimumTokens) break;
      entry.expiresAtMs = nowMs + lifetimeMs;
      cachedTokens = inSteps ? position.tokens - (position.tokens % 128) : position.tokens;
      break;
    }
    const chargesWrites = model.price?.write !== undefined;
    const stored = !isLong ? [] : chargesWrites ? positions.slice(-1) : positions;
    const written: Entry[] = [];
    for (const position of stored) {
      const old = this.#entries.get(position.hash);
      const readable = old?.readable === true && old.expiresAtMs > nowMs;
      const entry = { expiresAtMs: nowMs + lifetimeMs, readable };
      this.#entries.set(position.hash, entry);
      written.push(entry);
    }
    const writtenTokens = isLong && chargesWrites ? totalTokens - cachedTokens : 0;
    return {
      split: { totalTokens, cachedTokens, writtenTokens },
      publish: () => {
        for (const entry of written) entry.readable = true;
      },
    };
  }
}
