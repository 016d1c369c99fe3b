import { asObject, asObjects, asString, type JsonObject } from '../json.ts';
import { placedBlocks } from './blocks.ts';
import { type AnthropicError, invalidRequest } from './errors.ts';

/** Cache marks that one request may have. */
const MAX_MARKS = 4;

/** Blocks that take no mark: thinking, and the citations inside a text. */
const UNMARKED: ReadonlySet<string> = new Set([
  'thinking',
  'redacted_thinking',
  'char_location',
  'page_location',
  'content_block_location',
  'web_search_result_location',
  'search_result_location',
]);

type Mark = { readonly path: string; readonly ttl: '5m' | '1h'; readonly block: JsonObject };

/** Number, order and places of cache marks. */
export function markError(body: JsonObject): AnthropicError | undefined {
  const marks = allMarks(body);
  const automatic = asObject(body.cache_control);
  const count = marks.length + (automatic === undefined ? 0 : 1);
  if (count > MAX_MARKS) {
    return invalidRequest(
      `A maximum of ${MAX_MARKS} blocks with cache_control may be provided. Found ${count}.`,
    );
  }
  const wrong = marks.find(({ block }) => !isMark(asObject(block.cache_control)));
  if (wrong !== undefined) {
    return invalidRequest(
      `${wrong.path}.cache_control: Input should be of type 'ephemeral' with a ttl of '5m' or '1h'`,
    );
  }
  const place = marks.find(({ block }) => UNMARKED.has(asString(block.type) ?? ''));
  if (place !== undefined) {
    return invalidRequest(
      `${place.path}.${asString(place.block.type) ?? ''}.cache_control: Extra inputs are not permitted`,
    );
  }
  const empty = marks.find(({ block }) => block.type === 'text' && block.text === '');
  if (empty !== undefined) {
    return invalidRequest(`${empty.path}.text: cache_control cannot be set for empty text blocks`);
  }
  const first5m = marks.findIndex((mark) => mark.ttl === '5m');
  const late = first5m < 0 ? undefined : marks.slice(first5m).find((mark) => mark.ttl === '1h');
  if (late !== undefined) {
    return invalidRequest(
      `${late.path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.`,
    );
  }
  return automaticError(body, automatic, marks);
}

/** Automatic caching may meet a mark on the same last block only with the same lifetime. */
function automaticError(
  body: JsonObject,
  automatic: JsonObject | undefined,
  marks: readonly Mark[],
): AnthropicError | undefined {
  if (automatic === undefined) return undefined;
  const messages = asObjects(body.messages);
  const last = placedBlocks(messages.at(-1) ?? {}, messages.length - 1).at(-1);
  const onLast = marks.find((mark) => mark.path === last?.path);
  if (onLast === undefined || onLast.ttl === ttlOf(automatic)) return undefined;
  return invalidRequest('cache_control.ttl: automatic caching has another ttl than the last block');
}

function allMarks(body: JsonObject): Mark[] {
  const marks: Mark[] = [];
  const add = (path: string, block: JsonObject) => {
    const mark = asObject(block.cache_control);
    if (mark !== undefined) marks.push({ path, ttl: ttlOf(mark), block });
  };
  for (const [index, tool] of asObjects(body.tools).entries()) add(`tools.${index}`, tool);
  for (const [index, block] of asObjects(body.system).entries()) add(`system.${index}`, block);
  for (const [index, message] of asObjects(body.messages).entries()) {
    for (const { path, block } of placedBlocks(message, index)) {
      for (const [at, inner] of asObjects(block.content).entries()) add(`${path}.content.${at}`, inner);
      for (const [at, inner] of asObjects(block.citations).entries()) add(`${path}.citations.${at}`, inner);
      add(path, block);
    }
  }
  return marks;
}

function isMark(mark: JsonObject | undefined): boolean {
  const ttl = mark?.ttl ?? '5m';
  return mark?.type === 'ephemeral' && (ttl === '5m' || ttl === '1h');
}

function ttlOf(mark: JsonObject): '5m' | '1h' {
  return mark.ttl === '1h' ? '1h' : '5m';
}
