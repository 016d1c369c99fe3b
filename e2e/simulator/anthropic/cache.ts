import { sha256 } from '../ids.ts';
import { asObject, asObjects, asString, type Json, type JsonObject } from '../json.ts';
import { type TokenRule, tokensOfLength, unitsOf } from '../tokens.ts';
import { isServerResult, placedBlocks } from './blocks.ts';
import { deferredTools, withDefinitions } from './tools.ts';

/** Positions that a read looks at, counting the breakpoint itself. */
const LOOK_BACK_POSITIONS = 20;

/** One cacheable position of a prompt: a tool, a system block or a content block. */
export type Position = {
  /** Hash of everything up to and with this position. */
  readonly hash: string;
  /** Tokens up to and with this position. */
  readonly tokens: number;
  readonly mark: '5m' | '1h' | undefined;
};

/** How a prompt's tokens are billed; the four numbers add up to the whole prompt. */
export type CacheSplit = {
  readonly inputTokens: number;
  readonly readTokens: number;
  readonly write5mTokens: number;
  readonly write1hTokens: number;
};

type Entry = { readonly lifetimeMs: number; expiresAtMs: number; readable: boolean };

const LIFETIME_MS = { '5m': 300_000, '1h': 3_600_000 } as const;

/**
 * The positions of a Messages body in the order tools, system, messages. Marks are not part of the hash and may move.
 * Members of a block may stand in any order, those inside `input` may not. The system's first block, when it is the
 * agent's attribution line, is left out as the provider leaves it out. Deferred tools count where they are loaded.
 * With `thinksEverywhere` thinking and effort are part of the whole prefix, not of the messages alone.
 */
export function positionsOf(
  body: JsonObject,
  scope: string,
  rule: TokenRule,
  thinksEverywhere = false,
): Position[] {
  const positions: Position[] = [];
  let hash = sha256(thinksEverywhere ? `${scope}\n${thinkingScope(body)}` : scope);
  let tokens = 0;
  const add = (label: string, block: Json, mark: Position['mark']) => {
    hash = sha256(`${hash}\n${label}\n${canonical(block)}`);
    tokens += tokensOfLength(unitsOf(block), rule);
    positions.push({ hash, tokens, mark });
  };
  const deferred = deferredTools(body);
  for (const tool of asObjects(body.tools)) {
    if (tool.defer_loading !== true) add('tool', tool, markOf(tool));
  }
  hash = sha256(`${hash}\n${systemScope(body)}`);
  for (const block of systemBlocks(body)) add('system', block, markOf(block));
  hash = sha256(`${hash}\n${messageScope(body)}`);
  for (const [index, message] of asObjects(body.messages).entries()) {
    for (const placed of placedBlocks(message, index)) {
      add(asString(message.role) ?? '', withDefinitions(placed, deferred), markOf(placed.block));
    }
  }
  markServerResults(body, positions);
  const automatic = markOf(body);
  const last = positions.at(-1);
  if (automatic !== undefined && last !== undefined && last.mark === undefined) {
    positions[positions.length - 1] = { ...last, mark: automatic };
  }
  return positions;
}

/** The system prompt as blocks, without the agent's attribution line, which the provider strips by its position. */
export function systemBlocks(body: JsonObject): JsonObject[] {
  const text = asString(body.system);
  const blocks = text === undefined ? asObjects(body.system) : [{ type: 'text', text }];
  const isAttribution = (asString(blocks[0]?.text) ?? '').startsWith('x-anthropic-billing-header:');
  return isAttribution ? blocks.slice(1) : blocks;
}

/** Switching web search or citations on or off, and the speed, change system and messages. */
function systemScope(body: JsonObject): string {
  const searches = asObjects(body.tools).some((tool) =>
    (asString(tool.type) ?? '').startsWith('web_search_'),
  );
  const cites = asObjects(body.messages).some((message) =>
    asObjects(message.content).some((block) => asObject(block.citations)?.enabled === true),
  );
  return JSON.stringify([body.speed ?? null, searches, cites]);
}

/** The tool choice, parallel calls, thinking, effort, and whether there are images, change messages. */
function messageScope(body: JsonObject): string {
  const hasImages = asObjects(body.messages).some((message) =>
    asObjects(message.content).some(
      (block) => block.type === 'image' || asObjects(block.content).some((inner) => inner.type === 'image'),
    ),
  );
  return JSON.stringify([asObject(body.tool_choice) ?? null, thinkingScope(body), hasImages]);
}

/** Thinking's settings but those of its binding, and the effort. */
function thinkingScope(body: JsonObject): string {
  const { block_binding: _binding, display: _display, ...thinking } = asObject(body.thinking) ?? {};
  return JSON.stringify([thinking, asObject(body.output_config)?.effort ?? null]);
}

/** Results of the provider's own tools get a five-minute mark when the request caches at all. */
function markServerResults(body: JsonObject, positions: Position[]): void {
  if (markOf(body) === undefined && !positions.some((position) => position.mark !== undefined)) return;
  const blocks = asObjects(body.messages).flatMap((message, index) => placedBlocks(message, index));
  const first = positions.length - blocks.length;
  for (const [at, { block }] of blocks.entries()) {
    const position = positions[first + at];
    const isResult = isServerResult(block) && block.type !== 'tool_result';
    if (isResult && position !== undefined && position.mark === undefined) {
      positions[first + at] = { ...position, mark: '5m' };
    }
  }
}

function markOf(block: JsonObject): Position['mark'] {
  const mark = asObject(block.cache_control);
  if (mark === undefined) return undefined;
  return mark.ttl === '1h' ? '1h' : '5m';
}

/** A block's JSON without marks and with its members in order of name; inputs keep their own order. */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.keys(value)
    .filter((key) => key !== 'cache_control')
    .sort()
    .map((key) => {
      const member = value[key] ?? null;
      return `${JSON.stringify(key)}:${key === 'input' ? JSON.stringify(member) : canonical(member)}`;
    });
  return `{${members.join(',')}}`;
}

/** The prompt cache of all workspaces and models; scopes are told apart by the positions' hashes. */
export class PromptCache {
  readonly #entries = new Map<string, Entry>();

  /** Forgets everything. */
  clear(): void {
    this.#entries.clear();
  }

  /**
   * Splits a prompt's tokens and stores what it writes. Lifetimes run from `startMs`, the start of the request. What
   * is written can be read once the returned `publish` was called, which is at the answer's first byte.
   */
  use(
    positions: readonly Position[],
    totalTokens: number,
    minimumTokens: number,
    startMs: number,
  ): { readonly split: CacheSplit; readonly publish: () => void } {
    const marks = positions.flatMap((position, index) =>
      position.mark !== undefined && position.tokens >= minimumTokens ? [{ index, mark: position.mark }] : [],
    );
    const hit = this.#highestHit(positions, marks, startMs);
    const read = hit === undefined ? 0 : (positions[hit]?.tokens ?? 0);
    const written: Entry[] = [];
    for (const { index, mark } of marks) {
      const hash = positions[index]?.hash ?? '';
      const old = this.#entries.get(hash);
      if (old !== undefined && old.expiresAtMs > startMs && old.lifetimeMs >= LIFETIME_MS[mark]) {
        old.expiresAtMs = Math.max(old.expiresAtMs, startMs + old.lifetimeMs);
        written.push(old);
        continue;
      }
      const isLive = old !== undefined && old.expiresAtMs > startMs;
      const entry = {
        lifetimeMs: LIFETIME_MS[mark],
        expiresAtMs: startMs + LIFETIME_MS[mark],
        readable: isLive && old.readable,
      };
      this.#entries.set(hash, entry);
      written.push(entry);
    }
    const upTo = (wanted: (mark: '5m' | '1h') => boolean) =>
      marks
        .filter(({ mark }) => wanted(mark))
        .reduce((top, { index }) => Math.max(top, positions[index]?.tokens ?? 0), read);
    const end1h = upTo((mark) => mark === '1h');
    const end = upTo(() => true);
    return {
      split: {
        inputTokens: totalTokens - end,
        readTokens: read,
        write1hTokens: end1h - read,
        write5mTokens: end - Math.max(end1h, read),
      },
      publish: () => {
        for (const entry of written) entry.readable = true;
      },
    };
  }

  #highestHit(
    positions: readonly Position[],
    marks: readonly { readonly index: number }[],
    startMs: number,
  ): number | undefined {
    let best: number | undefined;
    for (const { index } of marks) {
      for (let at = index; at >= 0 && at > index - LOOK_BACK_POSITIONS; at -= 1) {
        const entry = this.#entries.get(positions[at]?.hash ?? '');
        if (entry === undefined || !entry.readable || entry.expiresAtMs <= startMs) continue;
        entry.expiresAtMs = Math.max(entry.expiresAtMs, startMs + entry.lifetimeMs);
        if (best === undefined || at > best) best = at;
        break;
      }
    }
    return best;
  }
}
