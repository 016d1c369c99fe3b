import { fieldNamed, type Scan, scanBody } from '../../conversation/index.ts';
import { breathe } from '../../kernel/breath.ts';
import type { CachedPrompt, CacheRules, Lifetime } from '../../ledger/index.ts';
import {
  type BlockMemo,
  type CountTokens,
  type Fields,
  hashOf,
  PositionChain,
  parsed,
  type ReadBlock,
} from '../booking/read-blocks.ts';
import { recordOf, textOf } from '../reading/events.ts';

/** What is read of an item of `input` or a tool: itself, and its content up to each breakpoint in it. */
export interface ReadItem {
  readonly whole: ReadBlock;
  readonly marked: readonly ReadBlock[];
  readonly isDeferred: boolean;
  readonly isReasoning: boolean;
}

/** What a body of the Responses API is read with. */
export interface ReadingItems {
  readonly key: Uint8Array;
  readonly model: string;
  readonly count: CountTokens;
  readonly memo: BlockMemo<ReadItem>;
}

const LISTS = new Set(['input', 'tools']);
const MINUTE_MS = 60_000;
/** Breakpoints that a request writes, its end counted. */
const MOST_WRITES = 4;

/** Since GPT-6.2 instructions stand last, and reasoning behind another prefix than its own is left out. */
const BINDS = /^gpt-6\.(?:[2-9]|\d\d)/;

/** What a request wants of the cache. */
interface Wish {
  readonly isExplicit: boolean;
  readonly lifetime: Lifetime;
  readonly keepsDay: boolean;
}

/**
 * A body of the Responses API as the prompt cache sees it (providers.md 3.6): settings, tools, instructions, items. Null where
 * it cannot be read, or goes on with what the provider has stored.
 * @param readsReasoningOf items at the end whose reasoning was made behind what stands before it: models that bind reasoning
 *   leave out all other; null: all was
 */
export function cachedItems(
  body: Uint8Array,
  reading: ReadingItems,
  readsReasoningOf: number | null = null,
): CachedPrompt | null {
  const scan = scanBody(body, LISTS);
  if (scan === null || scan.fault !== null) return null;
  const field = (name: string) => fieldOf(body, scan, name);
  if (field('previous_response_id') !== null || field('conversation') !== null) return null;
  const wish = wishOf(field);
  const read = (name: string) =>
    (fieldNamed(scan, name)?.elements ?? []).map(({ start, end }) =>
      reading.memo.of(body.subarray(start, end), () =>
        readItem(recordOf(parsed(body.subarray(start, end))) ?? {}, reading.count),
      ),
    );
  const chain = new PositionChain(reading.key, ['openai', reading.model, field('prompt_cache_key')]);
  chain.mix([field('text'), field('reasoning'), field('service_tier')]);
  for (const { whole, isDeferred } of read('tools')) if (!isDeferred) chain.add(whole);
  const instructions = textOf(field('instructions'));
  const rules = itemRules(reading.model, wish);
  const addInstructions = () => {
    if (instructions === null) return;
    chain.add({
      hash: hashOf(JSON.stringify(instructions)),
      tokens: reading.count(instructions),
      mark: null,
    });
  };
  const isLast = BINDS.test(reading.model);
  if (!isLast) addInstructions();
  const items = itemsOf(field('input'), read('input'), reading.count);
  const from = readsReasoningOf === null || !BINDS.test(reading.model) ? 0 : items.length - readsReasoningOf;
  for (const [index, item] of items.entries())
    if (!item.isReasoning || index >= from) addItem(chain, item, wish);
  if (isLast) addInstructions();
  return { positions: marked(chain, rules, wish), rules };
}

/** Reads the parts of a body that are new, and lets other work have its turn between them: {@link cachedItems} has them then. */
export async function readItemParts(
  body: Uint8Array,
  { memo, count }: Pick<ReadingItems, 'memo' | 'count'>,
): Promise<void> {
  const scan = scanBody(body, LISTS);
  for (const name of LISTS) {
    for (const { start, end } of scan === null ? [] : (fieldNamed(scan, name)?.elements ?? [])) {
      const part = body.subarray(start, end);
      memo.of(part, () => readItem(recordOf(parsed(part)) ?? {}, count));
      await breathe();
    }
  }
}

function itemsOf(input: unknown, listed: readonly ReadItem[], count: CountTokens): readonly ReadItem[] {
  const text = textOf(input);
  return text === null ? listed : [readItem({ type: 'message', role: 'user', content: text }, count)];
}

function addItem(chain: PositionChain, { whole, marked }: ReadItem, wish: Wish): void {
  for (const part of marked) {
    const mark = part.mark ?? wish.lifetime;
    // A breakpoint at the very end of an item is the item's own place.
    if (part.tokens === whole.tokens) {
      chain.add({ ...whole, mark });
      return;
    }
    chain.addWithin({ ...part, mark });
  }
  chain.add(whole);
}

/** The places with the breakpoints that count: the newest explicit ones, and the end unless explicit ones alone are wanted. */
function marked(chain: PositionChain, rules: CacheRules, wish: Wish): CachedPrompt['positions'] {
  if (rules.writes === 'everywhere') return chain.positions;
  if (!wish.isExplicit) chain.markLast(wish.lifetime);
  const marks = chain.positions.flatMap(({ mark }, index) => (mark === null ? [] : [index]));
  const counted = new Set(marks.slice(-MOST_WRITES));
  return chain.positions.map((place, index) => (counted.has(index) ? place : { ...place, mark: null }));
}

function wishOf(field: (name: string) => unknown): Wish {
  const options = recordOf(field('prompt_cache_options'));
  return {
    isExplicit: options?.mode === 'explicit',
    lifetime: options?.ttl === '12h' ? 'long' : 'short',
    keepsDay: field('prompt_cache_retention') === '24h',
  };
}

/** Models since GPT-5.6 charge for what they write, at breakpoints; older ones keep everything for nothing. */
function itemRules(model: string, { keepsDay }: Wish): CacheRules {
  const version = /^gpt-(\d+)(?:\.(\d+))?/.exec(model);
  const [major, minor] = [Number(version?.[1] ?? Number.POSITIVE_INFINITY), Number(version?.[2] ?? 0)];
  const charges = major > 5 || (major === 5 && minor >= 6);
  const short = charges ? 30 * MINUTE_MS : keepsDay ? 1_440 * MINUTE_MS : 10 * MINUTE_MS;
  return {
    minimum: 1024,
    lookBack: 80,
    readsFrom: 'end',
    writes: charges ? 'marks' : 'everywhere',
    longUpTo: 'each',
    step: 128,
    lifetimes: { short, long: charges ? 720 * MINUTE_MS : short },
  };
}

function readItem(given: Fields, count: CountTokens): ReadItem {
  const item = given.type === 'namespace' ? withoutDeferred(given) : given;
  const content = recordsOf(item.content);
  return {
    whole: { hash: hashOf(rendered(item)), tokens: count(item), mark: null },
    marked: content.flatMap((part, at): readonly ReadBlock[] => {
      const mark = recordOf(part.prompt_cache_breakpoint);
      if (mark === null) return [];
      const head = { ...item, content: content.slice(0, at + 1) };
      const lifetime = mark.ttl === '12h' ? 'long' : mark.ttl === '30m' ? 'short' : null;
      return [{ hash: hashOf(rendered(head)), tokens: count(head), mark: lifetime }];
    }),
    isDeferred: item.defer_loading === true,
    isReasoning: item.type === 'reasoning',
  };
}

/** A group of tools without those that the model does not see from the start. */
function withoutDeferred(group: Fields): Fields {
  return { ...group, tools: recordsOf(group.tools).filter((tool) => tool.defer_loading !== true) };
}

/** Members that are no part of the prompt. */
const UNRENDERED = new Set([
  'id',
  'status',
  'internal_chat_message_metadata_passthrough',
  'prompt_cache_breakpoint',
]);

/** An item as the prompt has it: members in order of name, without ids and nulls. */
function rendered(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(rendered).join(',')}]`;
  const fields = recordOf(value);
  if (fields === null) return JSON.stringify(value) ?? 'null';
  const members = Object.keys(fields)
    .filter((name) => !UNRENDERED.has(name) && fields[name] !== null)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${rendered(fields[name])}`);
  return `{${members.join(',')}}`;
}

function recordsOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(recordOf).filter((one) => one !== null) : [];
}

function fieldOf(body: Uint8Array, scan: Scan, name: string): unknown {
  const slice = fieldNamed(scan, name)?.value;
  return slice === undefined ? null : parsed(body.subarray(slice.start, slice.end));
}
