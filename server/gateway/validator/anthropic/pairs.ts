import type { Skim } from '../skim.ts';
import { type Finding, finding, firstAmong } from '../verdict.ts';
import { type Conversation, isServerCall, isServerResult, type Message, type Part, whereIs } from './read.ts';

/** Messages of one role that follow each other: the provider reads them as one message. */
interface Group {
  readonly role: Message['role'];
  readonly parts: readonly Placed[];
}

interface Placed {
  readonly message: Message;
  readonly part: Part;
}

function groupsOf(messages: readonly Message[]): Group[] {
  const groups: { role: Message['role']; parts: Placed[] }[] = [];
  for (const message of messages) {
    const placed = message.parts.map((part) => ({ message, part }));
    const last = groups.at(-1);
    if (last?.role === message.role && message.role !== 'system') last.parts.push(...placed);
    else groups.push({ role: message.role, parts: placed });
  }
  return groups;
}

/**
 * Every call of the client's tools is answered once in the next message, results first, with nothing between; no
 * result is without its call. Ids of calls are not used twice.
 */
export function checkToolPairs({ doc, messages }: Conversation): Finding | null {
  const groups = groupsOf(messages);
  const known = new Set<string>();
  return firstAmong(groups, (group, index) => {
    if (group.role === 'system') return null;
    if (group.role === 'user') return checkResults(doc, group, groups[index - 1]);
    const calls = callsOf(doc, group);
    return firstAmong(calls, ({ id, placed }) => {
      if (id === null || known.has(id))
        return finding('tool-pair', at(placed), 'A call needs an id that no other call has.');
      known.add(id);
      const next = groups[index + 1];
      const answered = next?.role === 'user' && next.parts.some(({ part }) => resultId(doc, part) === id);
      if (answered) return null;
      return finding('tool-pair', at(placed), `The call ${id} has no result in the next message.`);
    });
  });
}

function checkResults(doc: Skim, group: Group, before: Group | undefined): Finding | null {
  const calls = before?.role === 'assistant' ? callsOf(doc, before) : [];
  const open = new Set(calls.map(({ id }) => id));
  const unfinished = before?.role === 'assistant' && calls.length > 0 && hasUnfinishedServerCall(doc, before);
  let other = false;
  return firstAmong(group.parts, (placed) => {
    if (placed.part.type !== 'tool_result') {
      other = true;
      if (!unfinished) return null;
      return finding(
        'result-order',
        at(placed),
        'While a server tool is still to run, the message may hold tool results alone.',
      );
    }
    const id = resultId(doc, placed.part);
    if (id === null || !open.delete(id))
      return finding(
        'tool-pair',
        at(placed),
        `The result for ${id ?? 'no id'} has no call in the message before, or is not its only one.`,
      );
    return other
      ? finding('result-order', at(placed), 'Tool results must stand before everything else in a message.')
      : null;
  });
}

function callsOf(doc: Skim, group: Group): { readonly id: string | null; readonly placed: Placed }[] {
  return group.parts.flatMap((placed) =>
    placed.part.type === 'tool_use' ? [{ id: doc.stringMember(placed.part.node, 'id'), placed }] : [],
  );
}

function resultId(doc: Skim, part: Part): string | null {
  return part.type === 'tool_result' ? doc.stringMember(part.node, 'tool_use_id') : null;
}

function hasUnfinishedServerCall(doc: Skim, group: Group): boolean {
  const open = new Set<string>();
  for (const { part } of group.parts) {
    if (isServerCall(part)) open.add(doc.stringMember(part.node, 'id') ?? '');
    else if (isServerResult(part)) open.delete(doc.stringMember(part.node, 'tool_use_id') ?? '');
  }
  return open.size > 0;
}

/**
 * Calls of server tools, and of kinds that are not known, stand with their results: in the same message, or at most
 * two further on (a call that waited for the client's results goes on in the answer behind them). One may be without
 * a result only in the last answer: the provider goes on with it.
 */
export function checkServerPairs({ doc, messages }: Conversation): Finding | null {
  const groups = groupsOf(messages);
  const lastAnswer = groups.findLastIndex((group) => group.role === 'assistant');
  const open = new Map<string, { readonly group: number; readonly placed: Placed }>();
  const seen = firstAmong(groups, (group, index) =>
    firstAmong(group.parts, (placed) => {
      if (isServerCall(placed.part)) {
        const id = doc.stringMember(placed.part.node, 'id');
        if (id === null) return finding('server-tool-pair', at(placed), 'The call has no id.');
        open.set(id, { group: index, placed });
        return null;
      }
      if (!isServerResult(placed.part)) return null;
      const id = doc.stringMember(placed.part.node, 'tool_use_id') ?? '';
      const call = open.get(id);
      if (call === undefined || index - call.group > 2)
        return finding('server-tool-pair', at(placed), `The result for ${id} has no call before it.`);
      open.delete(id);
      return null;
    }),
  );
  if (seen !== null) return seen;
  for (const { group, placed } of open.values()) {
    const after = groups[group + 1];
    const waits = after === undefined || callsOf(doc, groups[group] as Group).length > 0;
    if (group < lastAnswer || !waits)
      return finding('server-tool-pair', at(placed), 'The call of a server tool has no result.');
  }
  return null;
}

function at({ message, part }: Placed): string {
  return whereIs(message, part);
}
