import { sha256 } from '../ids.ts';
import { asObjects, asString, type Json, type JsonObject } from '../json.ts';
import { type TokenRule, tokensOfLength, unitsOf } from '../tokens.ts';
import { breakpointOf, type CacheTtl, type CacheWish, cacheWishOf } from './breakpoints.ts';
import { renderedItem } from './items.ts';
import type { OpenAiModel } from './models.ts';
import { visibleTools } from './tools.ts';

/** The latest positions that a read considers. */
const CONSIDERED_POSITIONS = 80;

/** Breakpoints that one request writes. */
const MAX_WRITES = 4;

/** End of an input item, or of a content part with a breakpoint: hash and tokens of everything up to it. */
export type InputPosition = {
  readonly hash: string;
  readonly tokens: number;
  /** Lifetime that an explicit breakpoint asks for. */
  readonly mark?: CacheTtl | undefined;
};

/** How an input's tokens divide; ordinary tokens are the total without cached and written ones. */
export type InputSplit = {
  readonly totalTokens: number;
  readonly cachedTokens: number;
  readonly writtenTokens: number;
  /** Of the written tokens, those kept for 12 hours. */
  readonly written12hTokens: number;
};

/** How an input's positions are made, beside the body. */
export type PositionOptions = {
  /** Indexes of input items that the model does not read. */
  readonly unread?: ReadonlySet<number>;
  /** `instructions` stand behind the input. */
  readonly instructionsLast?: boolean;
};

/** The positions of a Responses body: tools and settings first, then instructions, then every item that is read. */
export function inputPositions(
  body: JsonObject,
  scope: string,
  rule: TokenRule,
  options: PositionOptions = {},
): InputPosition[] {
  const settings = [body.text ?? null, body.reasoning ?? null, body.service_tier ?? null];
  const wish = cacheWishOf(body);
  let hash = sha256(`${scope}\n${JSON.stringify(settings)}`);
  let tokens = 0;
  const positions: InputPosition[] = [];
  const add = (value: Json) => {
    hash = sha256(`${hash}\n${renderedItem(value)}`);
    tokens += tokensOfLength(unitsOf(value), rule);
    positions.push({ hash, tokens });
  };
  const addItem = (item: JsonObject) => {
    positions.push(...markedParts(item, { hash, tokens }, wish, rule));
    const marked = positions.at(-1);
    add(item);
    // A breakpoint at an item's very end is the item's own position.
    const end = positions.at(-1);
    if (marked?.mark !== undefined && end !== undefined && marked.tokens === end.tokens) {
      positions.splice(-2, 2, { ...end, mark: marked.mark });
    }
  };
  for (const tool of visibleTools(body)) add(tool);
  const { instructions } = body;
  if (typeof instructions === 'string' && options.instructionsLast !== true) add(instructions);
  for (const [index, item] of inputItems(body).entries()) {
    if (options.unread?.has(index) !== true) addItem(item);
  }
  if (typeof instructions === 'string' && options.instructionsLast === true) add(instructions);
  return positions;
}

/** The positions of an item's content parts that carry a breakpoint. */
function markedParts(
  item: JsonObject,
  before: InputPosition,
  wish: CacheWish,
  rule: TokenRule,
): InputPosition[] {
  const content = asObjects(item.content);
  return content.flatMap((part, at) => {
    const mark = breakpointOf(part, wish);
    if (mark === undefined) return [];
    const head = { ...item, content: content.slice(0, at + 1) };
    return [
      {
        hash: sha256(`${before.hash}\n${renderedItem(head)}`),
        tokens: before.tokens + tokensOfLength(unitsOf(head), rule),
        mark,
      },
    ];
  });
}

/** The input as items; a string is one user message. */
export function inputItems(body: JsonObject): JsonObject[] {
  const text = asString(body.input);
  return text === undefined ? asObjects(body.input) : [{ type: 'message', role: 'user', content: text }];
}

type Entry = { expiresAtMs: number; lifetimeMs: number; readable: boolean };
type Write = InputPosition & { readonly ttl: CacheTtl };

/** What a cache decision depends on beside the positions. */
export type CacheUse = {
  readonly model: OpenAiModel;
  readonly wish: CacheWish;
  readonly nowMs: number;
  /** Cached tokens are told in steps of 128. */
  readonly inSteps: boolean;
  /** Tokens below which nothing is cached. */
  readonly minimumTokens: number;
};

/**
 * The prompt cache of the Responses API. Models that charge for writes keep an entry at the request's end and at its
 * latest explicit breakpoints, four in all; older ones keep one at every item. An entry lives so long after its last
 * use.
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
    { model, wish, nowMs, inSteps, minimumTokens }: CacheUse,
  ): { readonly split: InputSplit; readonly publish: () => void } {
    const totalTokens = positions.at(-1)?.tokens ?? 0;
    const chargesWrites = model.price?.write !== undefined;
    const writes = chargesWrites
      ? writesOf(positions, wish)
      : positions.map((position) => ({ ...position, ttl: wish.ttl }));
    const large = writes.filter((position) => position.tokens >= minimumTokens);
    const isUsed = writes.length > 0;
    const cached = isUsed ? this.#longest(positions, nowMs, minimumTokens) : 0;
    const written: Entry[] = [];
    for (const { hash, ttl } of large) {
      const lifetimeMs = lifetimeOf(model, wish, ttl);
      const old = this.#entries.get(hash);
      const isLive = old !== undefined && old.expiresAtMs > nowMs;
      const entry = {
        lifetimeMs: isLive ? Math.max(old.lifetimeMs, lifetimeMs) : lifetimeMs,
        expiresAtMs: Math.max(isLive ? old.expiresAtMs : 0, nowMs + lifetimeMs),
        readable: isLive && old.readable,
      };
      this.#entries.set(hash, entry);
      written.push(entry);
    }
    const publish = () => {
      for (const entry of written) entry.readable = true;
    };
    const cachedTokens = inSteps ? cached - (cached % 128) : cached;
    return {
      split: { totalTokens, cachedTokens, ...billed(chargesWrites ? large : [], cachedTokens) },
      publish,
    };
  }

  #longest(positions: readonly InputPosition[], nowMs: number, minimumTokens: number): number {
    for (const position of positions.slice(-CONSIDERED_POSITIONS).reverse()) {
      const entry = this.#entries.get(position.hash);
      if (entry === undefined || !entry.readable || entry.expiresAtMs <= nowMs) continue;
      if (position.tokens < minimumTokens) break;
      entry.expiresAtMs = Math.max(entry.expiresAtMs, nowMs + entry.lifetimeMs);
      return position.tokens;
    }
    return 0;
  }
}

/** Where a request writes: its end unless only explicit breakpoints count, and the latest of those. */
function writesOf(positions: readonly InputPosition[], wish: CacheWish): Write[] {
  const end = positions.at(-1);
  const implicit =
    wish.mode === 'implicit' && end !== undefined ? [{ ...end, ttl: end.mark ?? wish.ttl }] : [];
  const marked = positions.flatMap((position) =>
    position.mark === undefined || (implicit.length > 0 && position === end)
      ? []
      : [{ ...position, ttl: position.mark }],
  );
  return [...marked.slice(implicit.length - MAX_WRITES), ...implicit];
}

/** Tokens from the cached part to the last breakpoint, each stretch by the lifetime of the breakpoint that ends it. */
function billed(writes: readonly Write[], cachedTokens: number) {
  let end = cachedTokens;
  let writtenTokens = 0;
  let written12hTokens = 0;
  for (const { tokens, ttl } of [...writes].sort((one, other) => one.tokens - other.tokens)) {
    const stretch = Math.max(0, tokens - end);
    writtenTokens += stretch;
    if (ttl === '12h') written12hTokens += stretch;
    end = Math.max(end, tokens);
  }
  return { writtenTokens, written12hTokens };
}

function lifetimeOf(model: OpenAiModel, wish: CacheWish, ttl: CacheTtl): number {
  if (model.price?.write === undefined && wish.keepsDay) return 24 * 3_600_000;
  return ttl === '12h' && model.price?.write !== undefined ? 12 * 3_600_000 : model.cacheMinutes * 60_000;
}
