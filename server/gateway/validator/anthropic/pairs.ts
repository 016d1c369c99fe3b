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

interface Answered {
  readonly id: string | null;
  readonly placed: Placed;
}

/**
 * Every call of the client's tools is answered once in the next message, results first, with nothing between; no
 * result is without its call. Ids of calls are not used twice.
 */
export function checkToolPairs({ doc, messages }: Conversation): Finding | null {
  const known = new Set<string>();
  let open: readonly Answered[] = [];
  const seen = firstAmong(groupsOf(messages), (group) => {
    if (group.role === 'user') {
      const found = checkResults(doc, group, open);
      open = [];
      return found;
    }
    if (open[0] !== undefined) return unanswered(open[0]);
    open = group.role === 'assistant' ? idsOf(doc, group, 'tool_use', 'id') : [];
    return firstAmong(open, ({ id, placed }) => {
      if (id === null || known.has(id))
        return finding('call-id', at(placed), 'A call needs an id that no other call has.');
      known.add(id);
      return null;
    });
  });
  return seen ?? (open[0] === undefined ? null : unanswered(open[0]));
}

function unanswered({ id, placed }: Answered): Finding {
  return finding('tool-pair', at(placed), `The call ${id} has no result in the next message.`);
}

function checkResults(doc: Skim, group: Group, calls: readonly Answered[]): Finding | null {
  const results = idsOf(doc, group, 'tool_result', 'tool_use_id');
  const answered = new Set(results.map(({ id }) => id));
  const missing = calls.find(({ id }) => !answered.has(id));
  if (missing !== undefined) return unanswered(missing);
  const open = new Set(calls.map(({ id }) => id));
  const orphan = results.find(({ id }) => id === null || !open.delete(id));
  if (orphan !== undefined)
    return finding(
      'tool-pair',
      at(orphan.placed),
      `The result for ${orphan.id ?? 'no id'} has no call in the message before, or is not its only one.`,
    );
  const late = results.find(({ placed }, index) => group.parts[index] !== placed);
  return late === undefined
    ? null
    : finding(
        'result-order',
        at(late.placed),
        'Tool results must stand before everything else in a message.',
      );
}

function idsOf(doc: Skim, group: Group, type: string, key: string): readonly Answered[] {
  const found: Answered[] = [];
  for (const placed of group.parts) {
    if (placed.part.type === type) found.push({ id: doc.stringMember(placed.part.node, key), placed });
  }
  return found;
}

/**
 * Calls of server tools, and of kinds that are not known, stand with their results: in the same message, or behind
 * what it waits for. While one has no result, the answers go on calling the client's tools and the messages between
 * bring their results alone. In the last answer one may be without a result, since the provider goes on with it; then
 * its tool is still there.
 */
export function checkServerPairs({ doc, messages, tools }: Conversation): Finding | null {
  if (!messages.some(({ parts }) => parts.some((part) => isServerCall(part) || isServerResult(part))))
    return null;
  const groups = groupsOf(messages);
  const open = new Map<string, Placed>();
  const seen = firstAmong(groups, (group, index) => {
    const waits = open.size > 0;
    const [first] = group.parts;
    if (waits && group.role === 'system' && first !== undefined)
      return finding(
        'server-tool-pair',
        at(first),
        'A system message must not stand between a call of a server tool and its result.',
      );
    const inGroup = firstAmong(group.parts, (placed) =>
      takeServerPart(doc, placed, open, waits && group.role === 'user'),
    );
    const [call] = open.values();
    if (inGroup !== null || call === undefined || group.role === 'system' || index === groups.length - 1)
      return inGroup;
    const answer = group.role === 'assistant' ? group : groups[index - 1];
    const goesOn = answer?.parts.some(({ part }) => part.type === 'tool_use');
    const isAnswered = group.role === 'assistant' && hasResultOf(doc, groups[index + 1], open);
    return goesOn || isAnswered
      ? null
      : finding('server-tool-pair', at(call), 'The call of a server tool has no result.');
  });
  if (seen !== null) return seen;
  const names = new Set(tools.map((tool) => doc.stringMember(tool, 'name')));
  return firstAmong([...open.values()], (call) => {
    const isOffered =
      call.part.type !== 'server_tool_use' || names.has(doc.stringMember(call.part.node, 'name'));
    return isOffered
      ? null
      : finding('server-tool-pair', at(call), 'The call waits for a tool that is not there.');
  });
}

/** Opens calls and closes them by their results; `alone`: nothing but results may stand here. */
function takeServerPart(
  doc: Skim,
  placed: Placed,
  open: Map<string, Placed>,
  alone: boolean,
): Finding | null {
  const { part } = placed;
  if (isServerCall(part)) {
    const id = doc.stringMember(part.node, 'id');
    if (id === null) return finding('server-tool-pair', at(placed), 'The call has no id.');
    open.set(id, placed);
    return null;
  }
  if (isServerResult(part)) {
    const id = doc.stringMember(part.node, 'tool_use_id') ?? '';
    return open.delete(id)
      ? null
      : finding('server-tool-pair', at(placed), `The result for ${id} has no call before it.`);
  }
  if (!alone || part.type === 'tool_result') return null;
  return finding(
    'result-order',
    at(placed),
    'While a server tool is still to run, the message may hold tool results alone.',
  );
}

function hasResultOf(doc: Skim, group: Group | undefined, open: ReadonlyMap<string, Placed>): boolean {
  return (group?.parts ?? []).some(
    ({ part }) => isServerResult(part) && open.has(doc.stringMember(part.node, 'tool_use_id') ?? ''),
  );
}

function at({ message, part }: Placed): string {
  return whereIs(message, part);
}
