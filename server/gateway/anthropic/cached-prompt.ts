import { fieldNamed, type Scan, type Slice, scanBody } from '../../conversation/index.ts';
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

/** A block of a message, a tool or a part of the system prompt. */
interface MessageBlock extends ReadBlock {
  readonly type: string;
  readonly hasImage: boolean;
  readonly cites: boolean;
  /** Deferred tools whose definitions it loads. */
  readonly loads: readonly string[];
}

/** What is read of an entry of `messages`, `tools` or `system`. */
export interface ReadEntry {
  readonly role: string;
  readonly blocks: readonly MessageBlock[];
  /** A system message that holds until a person says something again. */
  readonly endsWithTurn: boolean;
  /** Of a tool. */
  readonly name: string | null;
  readonly isDeferred: boolean;
}

/** What a body of the Messages API is read with. */
export interface ReadingMessages {
  readonly key: Uint8Array;
  readonly model: string;
  readonly count: CountTokens;
  readonly memo: BlockMemo<ReadEntry>;
}

const LISTS = new Set(['messages', 'tools', 'system']);
const MINUTE_MS = 60_000;

/**
 * A body of the Messages API as the prompt cache sees it (providers.md 2.1): tools, system prompt, content blocks, each a
 * place; settings that change what stands behind them; marks. Null where the body cannot be read.
 */
export function cachedMessages(body: Uint8Array, reading: ReadingMessages): CachedPrompt | null {
  const scan = scanBody(body, LISTS);
  if (scan === null || scan.fault !== null) return null;
  const field = (name: string) => fieldOf(body, scan, name);
  const entries = (name: string, label: string) =>
    (fieldNamed(scan, name)?.elements ?? []).map(({ start, end }) =>
      reading.memo.of(body.subarray(start, end), () =>
        readEntry(body.subarray(start, end), label, reading.count),
      ),
    );
  const tools = entries('tools', 'tool');
  const messages = inView(entries('messages', 'message'));
  const chain = new PositionChain(reading.key, ['anthropic', reading.model]);
  for (const { isDeferred, blocks } of tools) if (!isDeferred) addAll(chain, blocks);
  chain.mix([
    textOf(field('speed')),
    tools.some(isWebSearch),
    messages.some(({ blocks }) => blocks.some(({ cites }) => cites)),
  ]);
  addAll(chain, systemBlocks(body, scan, entries('system', 'system'), reading));
  const hasImage = messages.some(({ blocks }) => blocks.some((block) => block.hasImage));
  chain.mix([field('tool_choice'), thinkingOf(field('thinking'), field('output_config')), hasImage]);
  const deferred = new Map(tools.map(({ name, blocks }) => [name ?? '', blocks[0]?.tokens ?? 0]));
  const caches =
    field('cache_control') !== null ||
    [...tools, ...messages, ...entries('system', 'system')].some(({ blocks }) =>
      blocks.some(({ mark }) => mark !== null),
    );
  for (const { blocks } of messages) {
    for (const block of blocks) {
      const loaded = block.loads.reduce((sum, name) => sum + (deferred.get(name) ?? 0), 0);
      const isResult = caches && isServerResult(block.type) && block.mark === null;
      chain.add({ ...block, tokens: block.tokens + loaded, mark: isResult ? 'short' : block.mark });
    }
  }
  const automatic = markOf(recordOf(field('cache_control')));
  if (automatic !== null) chain.markLast(automatic);
  return { positions: chain.positions, rules: messageRules(reading.model) };
}

/** Reads the parts of a body that are new, and lets other work have its turn between them: {@link cachedMessages} has them then. */
export async function readMessageParts(
  body: Uint8Array,
  { memo, count }: Pick<ReadingMessages, 'memo' | 'count'>,
): Promise<void> {
  const scan = scanBody(body, LISTS);
  for (const [name, label] of [
    ['tools', 'tool'],
    ['system', 'system'],
    ['messages', 'message'],
  ] as const) {
    for (const { start, end } of scan === null ? [] : (fieldNamed(scan, name)?.elements ?? [])) {
      const part = body.subarray(start, end);
      memo.of(part, () => readEntry(part, label, count));
      await breathe();
    }
  }
}

/** How the cache takes prompts of a model: only the smallest length differs. */
function messageRules(model: string): CacheRules {
  return {
    minimum: MINIMUMS.find(([pattern]) => pattern.test(model))?.[1] ?? 1024,
    lookBack: 20,
    readsFrom: 'marks',
    writes: 'marks',
    longUpTo: 'last',
    step: 1,
    lifetimes: { short: 5 * MINUTE_MS, long: 60 * MINUTE_MS },
  };
}

/** Least tokens (providers.md 2.1). Of the 5.5 family and of Fable 5.2 they are not known: those of the family before are taken. */
const MINIMUMS: readonly (readonly [RegExp, number])[] = [
  [/^claude-(?:opus-4-6|opus-4-5|haiku-4-5)/, 4096],
  [/^claude-opus-4-7/, 2048],
  [/^claude-(?:opus|fable|mythos)-5/, 512],
  [/^claude-(?:sonnet|haiku)-5-5/, 512],
];

function addAll(chain: PositionChain, blocks: readonly ReadBlock[]): void {
  for (const block of blocks) chain.add(block);
}

function fieldOf(body: Uint8Array, scan: Scan, name: string): unknown {
  const slice: Slice | undefined = fieldNamed(scan, name)?.value;
  return slice === undefined ? null : parsed(body.subarray(slice.start, slice.end));
}

/** The system prompt, less the line in which an agent names itself for the bill, which the provider takes out. */
function systemBlocks(
  body: Uint8Array,
  scan: Scan,
  listed: readonly ReadEntry[],
  { count }: ReadingMessages,
): readonly ReadBlock[] {
  const text = textOf(fieldOf(body, scan, 'system'));
  const blocks =
    text === null
      ? listed.flatMap((entry) => entry.blocks)
      : [readBlock({ type: 'text', text }, 'system', count)];
  return blocks[0]?.type === ATTRIBUTION ? blocks.slice(1) : blocks;
}

const ATTRIBUTION = 'attribution';

function readEntry(bytes: Uint8Array, label: string, count: CountTokens): ReadEntry {
  const entry = recordOf(parsed(bytes)) ?? {};
  const common = { name: textOf(entry.name), isDeferred: entry.defer_loading === true };
  if (label !== 'message') {
    return { ...common, role: label, endsWithTurn: false, blocks: [readBlock(entry, label, count)] };
  }
  const role = textOf(entry.role) ?? '';
  const text = textOf(entry.content);
  const parts = text === null ? recordsOf(entry.content) : [{ type: 'text', text }];
  return {
    ...common,
    role,
    endsWithTurn: entry.clear_at === 'next_user_message',
    blocks: parts.map((part) => readBlock(part, role, count)),
  };
}

function readBlock(block: Fields, label: string, count: CountTokens): MessageBlock {
  const { cache_control: mark, ...content } = block;
  const inner = recordsOf(block.content);
  const isAttribution =
    label === 'system' && (textOf(block.text) ?? '').startsWith('x-anthropic-billing-header:');
  return {
    hash: hashOf(`${label}\n${canonical(content)}`),
    tokens: count(content),
    mark: markOf(recordOf(mark)),
    type: isAttribution ? ATTRIBUTION : (textOf(block.type) ?? ''),
    hasImage: block.type === 'image' || inner.some((part) => part.type === 'image'),
    cites: recordOf(block.citations)?.enabled === true,
    loads: loadsOf(block, inner),
  };
}

function loadsOf(block: Fields, inner: readonly Fields[]): readonly string[] {
  const found = recordsOf(recordOf(block.content)?.tool_references);
  return [block, ...inner, ...found].flatMap((part) =>
    part.type === 'tool_reference' ? (textOf(part.tool_name) ?? []) : [],
  );
}

/** What the model reads: nothing in front of the provider's newest compaction, no system message that is over. */
function inView(messages: readonly ReadEntry[]): readonly ReadEntry[] {
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  const current = messages.filter(
    ({ role, endsWithTurn }, index) => !(role === 'system' && endsWithTurn && index < lastUser),
  );
  const from = current.findLastIndex(({ blocks }) => blocks.some(({ type }) => type === 'compaction'));
  if (from < 0) return current;
  const [first, ...rest] = current.slice(from);
  if (first === undefined) return current;
  const at = first.blocks.findLastIndex(({ type }) => type === 'compaction');
  return [{ ...first, blocks: first.blocks.slice(at) }, ...rest];
}

function isWebSearch({ blocks }: ReadEntry): boolean {
  return blocks.some(({ type }) => type.startsWith('web_search_'));
}

function isServerResult(type: string): boolean {
  return type.endsWith('_tool_result');
}

/** Thinking's settings but those of its binding and display, and the effort. */
function thinkingOf(thinking: unknown, output: unknown): unknown {
  const { block_binding: _binding, display: _display, ...settings } = recordOf(thinking) ?? {};
  return [settings, recordOf(output)?.effort ?? null];
}

function markOf(mark: Fields | null): Lifetime | null {
  if (mark === null || mark.type !== 'ephemeral') return null;
  return mark.ttl === '1h' ? 'long' : 'short';
}

function recordsOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(recordOf).filter((one) => one !== null) : [];
}

/** JSON with members in order of name and without marks; a call's input keeps the order that it was produced in. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const fields = recordOf(value);
  if (fields === null) return JSON.stringify(value) ?? 'null';
  const members = Object.keys(fields)
    .filter((name) => name !== 'cache_control')
    .sort()
    .map(
      (name) =>
        `${JSON.stringify(name)}:${name === 'input' ? JSON.stringify(fields[name]) : canonical(fields[name])}`,
    );
  return `{${members.join(',')}}`;
}
