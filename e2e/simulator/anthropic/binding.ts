import { sha256 } from '../ids.ts';
import { asObjects, asString, type Json, type JsonObject } from '../json.ts';
import { seal } from '../seal.ts';
import { isThinking, type PlacedBlock, placedBlocks } from './blocks.ts';
import { systemBlocks } from './cache.ts';
import { isSummary } from './compaction.ts';
import type { AnthropicModel } from './models.ts';
import { deferredTools, withDefinitions } from './tools.ts';

/** Who a request comes from: the organization, and the end user where it names one. */
export type Sender = { readonly account: string; readonly user: string };

/** Hashes of what stands before an answer: system, tools, and messages without thinking. */
export type Prefix = { readonly system: string; readonly tools: string; readonly messages: string };

/**
 * What a signature of thinking holds beside the text's hash: the model, the sender, the prefix, the hash of the
 * signature before it, and the block's place among the thinking of its answer.
 */
export type Binding = Prefix & {
  readonly text: string;
  readonly model: string;
  readonly account: string;
  readonly user: string;
  readonly before: string;
  readonly index: number;
  readonly count: number;
};

const UNBOUND: Prefix = { system: '', tools: '', messages: '' };

/** The sealed text of a thinking block. */
export function signatureOf(block: JsonObject | undefined): string | undefined {
  return asString(block?.signature) ?? asString(block?.data);
}

/**
 * Signs the thinking of one answer to a body, block by block. `count` is how many blocks there will be; `lead` is the
 * compaction that the answer begins with, if it does.
 */
export function thinkingSigner(
  body: JsonObject,
  model: AnthropicModel,
  sender: Sender,
  count: number,
  secret: string,
  lead?: JsonObject,
): (text: string) => string {
  let state: { readonly prefix: Prefix; before: string; index: number } | undefined;
  return (text) => {
    state ??= {
      prefix: model.binding === 'none' ? UNBOUND : prefixOf(body, lead),
      before: hashOf(signatureOf([...thinkingBlocks(body, false)].at(-1)?.placed.block)),
      index: 0,
    };
    const { prefix, before, index } = state;
    const binding: Binding = {
      ...prefix,
      ...sender,
      model: model.id,
      text: sha256(text),
      before,
      index,
      count,
    };
    const signature = seal(binding, secret);
    state.before = sha256(signature);
    state.index += 1;
    return signature;
  };
}

function hashOf(signature: string | undefined): string {
  return signature === undefined ? '' : sha256(signature);
}

function prefixOf(body: JsonObject, lead: JsonObject | undefined): Prefix {
  const walk = prefixWalk(body);
  for (const message of asObjects(body.messages)) walk.addMessage(message);
  if (lead !== undefined) walk.addBlock('assistant', { path: '', block: lead });
  return walk.prefix();
}

/** All thinking blocks in order, each with what stands before its message, or before it behind a compaction. */
export function* thinkingBlocks(
  body: JsonObject,
  withPrefix: boolean,
): Generator<{ readonly placed: PlacedBlock; readonly prefix: Prefix }> {
  const walk = withPrefix ? prefixWalk(body) : undefined;
  for (const [index, message] of asObjects(body.messages).entries()) {
    const blocks = placedBlocks(message, index);
    let prefix = walk?.prefix() ?? UNBOUND;
    for (const placed of blocks) {
      if (isThinking(placed.block) && message.role === 'assistant') yield { placed, prefix };
      walk?.addBlock(asString(message.role) ?? '', placed);
      if (isSummary(placed.block)) prefix = walk?.prefix() ?? UNBOUND;
    }
  }
}

/**
 * Hashes system, tools and messages as the binding sees them: no marks, no thinking, members in any order, deferred
 * tools only where they are loaded, nothing of what a compaction stands for.
 */
function prefixWalk(body: JsonObject) {
  const system = sha256(systemBlocks(body).map(sorted).join('\n'));
  const deferred = deferredTools(body);
  const listed = asObjects(body.tools).filter((tool) => tool.defer_loading !== true);
  const tools = sha256(listed.map(sorted).join('\n'));
  let messages = '';
  const addBlock = (role: string, placed: PlacedBlock) => {
    if (isThinking(placed.block)) return;
    if (isSummary(placed.block)) messages = '';
    messages = sha256(`${messages}\n${role}\n${sorted(withDefinitions(placed, deferred))}`);
  };
  return {
    addBlock,
    addMessage: (message: JsonObject) => {
      for (const placed of placedBlocks(message, 0)) addBlock(asString(message.role) ?? '', placed);
    },
    prefix: (): Prefix => ({ system, tools, messages }),
  };
}

function sorted(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const keys = Object.keys(value)
    .filter((key) => key !== 'cache_control')
    .sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${sorted(value[key] ?? null)}`).join(',')}}`;
}
