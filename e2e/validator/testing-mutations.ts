import type { Json, JsonObject } from '../simulator/json.ts';
import type { Choices } from './testing-choices.ts';

/** What both protocols' bodies have in common for a random edit. */
export interface Shape {
  /** The name of the conversation. */
  readonly list: 'messages' | 'input';
  readonly roles: readonly string[];
  /** Types that parts (or items) may get in place of their own. */
  readonly retyped: Readonly<Record<string, string>>;
  /** Whole elements, and parts, that may be put in anywhere. */
  readonly elements: readonly JsonObject[];
  readonly parts: readonly JsonObject[];
}

/** The shape of Messages bodies. */
export const MESSAGES: Shape = {
  list: 'messages',
  roles: ['user', 'assistant', 'system'],
  retyped: {
    tool_use: 'server_tool_use',
    server_tool_use: 'tool_use',
    tool_result: 'web_search_tool_result',
    web_search_tool_result: 'tool_result',
  },
  elements: [
    { role: 'user', content: 'put in' },
    { role: 'assistant', content: [{ type: 'text', text: 'put in' }] },
    { role: 'system', content: 'put in' },
    { role: 'user', content: [] },
  ],
  parts: [
    { type: 'text', text: 'put in' },
    { type: 'text', text: '' },
    { type: 'tool_use', id: 'toolu_put', name: 'Bash', input: {} },
    { type: 'tool_result', tool_use_id: 'toolu_put', content: 'x' },
    { type: 'server_tool_use', id: 'srvtoolu_put', name: 'web_search', input: {} },
    { type: 'tool_use', id: 'toolu_late', name: 'Late', input: {} },
  ],
};

/** The shape of Responses bodies. */
export const RESPONSES: Shape = {
  list: 'input',
  roles: ['user', 'assistant', 'developer'],
  retyped: {
    function_call: 'custom_tool_call',
    custom_tool_call: 'function_call',
    function_call_output: 'custom_tool_call_output',
    custom_tool_call_output: 'function_call_output',
  },
  elements: [
    { type: 'message', role: 'user', content: 'put in' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'put in' }] },
    { type: 'function_call', call_id: 'call_put', name: 'exec', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_put', output: 'x' },
    { type: 'item_reference', id: 'x' },
  ],
  parts: [{ type: 'input_text', text: 'put in' }],
};

type List = JsonObject[];

/** The body after one to three random edits: something dropped, doubled, swapped, moved, retyped, put in, renamed. */
export function mutated(body: JsonObject, shape: Shape, choose: Choices): JsonObject {
  const copy = structuredClone(body);
  for (let edits = 1 + choose.below(3); edits > 0; edits--) mutate(copy, shape, choose);
  return copy;
}

function mutate(body: JsonObject, shape: Shape, choose: Choices): void {
  const elements = body[shape.list] as List;
  const withParts = elements.filter((element) => Array.isArray(element.content));
  const inside = withParts[choose.below(withParts.length)]?.content as List | undefined;
  const lists: readonly List[] = [elements, ...(inside === undefined ? [] : [inside])];
  const list = choose.once(2) ? elements : (lists.at(-1) as List);
  const at = choose.below(list.length);
  const one = list[at];
  const edits: readonly (() => void)[] = [
    () => void list.splice(at, 1),
    () => void list.splice(at, 0, ...(one === undefined ? [] : [structuredClone(one)])),
    () => swap(list, at, choose.below(list.length)),
    () => void list.splice(choose.below(list.length), 0, ...list.splice(at, 1)),
    () => void inside?.splice(at, 0, ...elements.flatMap((element) => moved(element, choose))),
    () => void list.splice(at, 1 + choose.below(3)),
    () => rename(elements, choose),
    () => retype(elements, shape, choose),
    () => reRole(elements, shape, choose),
    () => void elements.splice(choose.below(elements.length + 1), 0, pick(shape.elements, choose)),
    () => void inside?.splice(choose.below(inside.length + 1), 0, pick(shape.parts, choose)),
    () => mark(body, elements, choose),
    () => changeTools(body, choose),
  ];
  edits[choose.below(edits.length)]?.();
}

const pick = (values: readonly JsonObject[], choose: Choices): JsonObject =>
  structuredClone(values[choose.below(values.length)] ?? {});

function swap(list: List, from: number, to: number): void {
  const [one, other] = [list[from], list[to]];
  if (one === undefined || other === undefined) return;
  list[from] = other;
  list[to] = one;
}

/** Now and then the last part of an element, taken out of it. */
function moved(element: JsonObject, choose: Choices): List {
  const parts = element.content;
  if (!Array.isArray(parts) || !choose.once(6)) return [];
  const part = parts.pop();
  return part === undefined ? [] : [part as JsonObject];
}

/** Every object of the conversation, elements and parts. */
function all(elements: List): List {
  return elements.flatMap((element) => [
    element,
    ...(Array.isArray(element.content) ? (element.content as List) : []),
  ]);
}

/** Another character in an id, a name or a text, or the text emptied. */
function rename(elements: List, choose: Choices): void {
  const key = choose.of(
    'text',
    'id',
    'tool_use_id',
    'call_id',
    'name',
    'thinking',
    'signature',
    'encrypted_content',
  );
  const holders = all(elements).filter((node) => typeof node[key] === 'string' && node[key] !== '');
  const node = holders[choose.below(holders.length)];
  const before = String(node?.[key] ?? '');
  if (node === undefined) return;
  const at = choose.below(before.length);
  const isEmptied = key === 'text' && choose.once(3);
  node[key] = isEmptied ? '' : `${before.slice(0, at)}${choose.of('Q', 'q', '7')}${before.slice(at + 1)}`;
}

function retype(elements: List, shape: Shape, choose: Choices): void {
  const holders = all(elements).filter((node) => shape.retyped[String(node.type)] !== undefined);
  const node = holders[choose.below(holders.length)];
  if (node === undefined) return;
  node.type = shape.retyped[String(node.type)] ?? null;
  const { arguments: given, input, ...rest } = node;
  if (node.call_id === undefined || (given === undefined && input === undefined)) return;
  for (const key of Object.keys(node)) if (!(key in rest)) delete node[key];
  node[node.type === 'function_call' ? 'arguments' : 'input'] = given ?? input ?? '';
}

/** Another role, the texts of a Responses message with it. */
function reRole(elements: List, { roles }: Shape, choose: Choices): void {
  const holders = elements.filter((element) => element.role !== undefined && element.tools === undefined);
  const element = holders[choose.below(holders.length)];
  if (element === undefined) return;
  element.role = roles[choose.below(roles.length)] ?? null;
  for (const part of Array.isArray(element.content) ? (element.content as List) : []) {
    if (part.type === 'input_text' || part.type === 'output_text')
      part.type = element.role === 'assistant' ? 'output_text' : 'input_text';
  }
}

/** A cache mark somewhere, of either lifetime. */
function mark(body: JsonObject, elements: List, choose: Choices): void {
  if (body.messages === undefined) return;
  const lists: readonly Json[] = [
    body.tools ?? [],
    body.system ?? [],
    ...elements.map((element) => element.content ?? []),
  ];
  const nodes = lists.flatMap((list) => (Array.isArray(list) ? (list as List) : []));
  const target = choose.once(5) ? body : nodes[choose.below(nodes.length)];
  if (target !== undefined)
    target.cache_control = { type: 'ephemeral', ...(choose.once(2) ? { ttl: choose.of('1h', '5m') } : {}) };
}

/** A tool dropped, doubled, or deferred. */
function changeTools(body: JsonObject, choose: Choices): void {
  if (body.messages === undefined) return;
  const tools = body.tools as List;
  const at = choose.below(tools.length);
  const tool = tools[at];
  const kind = choose.below(4);
  if (tool === undefined) return;
  if (kind === 0) tools.splice(at, 1);
  else if (kind === 1) tools.push(structuredClone(tool));
  else if (kind === 2) tool.defer_loading = tool.defer_loading !== true;
  else for (const other of tools) other.defer_loading = true;
}
