import type { Skim } from '../skim.ts';
import { type Finding, finding, firstAmong } from '../verdict.ts';
import { type Conversation, type Item, shareOf, whereIs } from './read.ts';

/** Calls that an item of another type answers. Calls that are not listed hold their result themselves. */
const OUTPUTS: Readonly<Record<string, readonly string[]>> = {
  function_call: ['function_call_output'],
  custom_tool_call: ['custom_tool_call_output'],
  local_shell_call: ['local_shell_call_output', 'function_call_output'],
  shell_call: ['shell_call_output'],
  apply_patch_call: ['apply_patch_call_output'],
  computer_call: ['computer_call_output'],
  tool_search_call: ['tool_search_output'],
};

/** The id that ties a call to its output; null: none (a search that the provider ran has none). */
export function callId(doc: Skim, item: Item): string | null {
  return (
    doc.stringMember(item.node, 'call_id') ??
    (item.type === 'local_shell_call_output' ? doc.stringMember(item.node, 'id') : null)
  );
}

/** True for an item that answers a call. */
export function isOutput(item: Item): boolean {
  return item.type.endsWith('_output');
}

/** True for a call that another item answers. */
export function isAnswered(item: Item): boolean {
  return OUTPUTS[item.type] !== undefined;
}

/** Every call is answered once, by an item of its kind behind it, and no output is without its call. */
export function checkCallPairs({ doc, items }: Conversation): Finding | null {
  const open = new Map<string, Item>();
  const calls = new Map<string, Item>();
  const seen = firstAmong(items, (item) => {
    const id = callId(doc, item);
    if (isAnswered(item)) {
      if (id === null) return item.type === 'tool_search_call' ? null : lacksId(item);
      if (calls.has(id)) return finding('call-id', whereIs(item), `Two calls have the id ${id}.`);
      calls.set(id, item);
      open.set(id, item);
      return null;
    }
    if (!isOutput(item)) {
      if (id !== null) calls.set(id, item);
      return null;
    }
    if (id === null) return item.type === 'tool_search_output' ? null : lacksId(item);
    const call = calls.get(id);
    const fits = call !== undefined && (OUTPUTS[call.type]?.includes(item.type) ?? true);
    if (!fits) return finding('tool-pair', whereIs(item), `No call before it has the id ${id}.`);
    if (isAnswered(call) && !open.delete(id))
      return finding('call-id', whereIs(item), `The call ${id} is answered twice.`);
    return null;
  });
  if (seen !== null) return seen;
  for (const [id, call] of open) return finding('tool-pair', whereIs(call), `The call ${id} has no output.`);
  return null;
}

function lacksId(item: Item): Finding {
  return finding('tool-pair', whereIs(item), `The ${item.type} has no call_id.`);
}

/** Items that have an id have one of their own. */
export function checkIds({ doc, items }: Conversation): Finding | null {
  const ids = new Set<string>();
  return firstAmong(items, (item) => {
    const id = item.type === 'item_reference' ? null : doc.stringMember(item.node, 'id');
    if (id === null) return null;
    if (ids.has(id)) return finding('call-id', whereIs(item), `Two items have the id ${id}.`);
    ids.add(id);
    return null;
  });
}

/** A reasoning item with an id is followed by what it led to: another one, an answer, a call. */
export function checkReasoning({ doc, items }: Conversation): Finding | null {
  return firstAmong(items, (item, index) => {
    if (item.type !== 'reasoning' || doc.stringMember(item.node, 'id') === null) return null;
    const next = items[index + 1];
    if (next !== undefined && shareOf(next) !== 'none') return null;
    return finding('reasoning-group', whereIs(item), 'The reasoning stands without what it led to.');
  });
}

/** Where nothing is stored, what is only named by its id cannot be found. */
export function checkStored({ doc, items }: Conversation): Finding | null {
  if (doc.kind(doc.member(0, 'store')) !== 'false') return null;
  return firstAmong(items, (item) => {
    const isNamed =
      item.type === 'item_reference' ||
      (item.type === 'reasoning' &&
        doc.stringMember(item.node, 'id') !== null &&
        doc.stringMember(item.node, 'encrypted_content') === null);
    return isNamed
      ? finding('stored-item', whereIs(item), 'The item is named by an id, and nothing is stored.')
      : null;
  });
}
