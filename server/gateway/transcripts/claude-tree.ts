import { mergeParts } from './claude-merge.ts';
import type { ClaudeNode } from './claude-node.ts';
import type { BesideElement, TranscriptMessage } from './types.ts';

/** One or more lines that stand at one place: an answer's lines, the results of its calls, or a line by itself. */
interface Unit {
  readonly kind: ClaudeNode['kind'];
  readonly nodes: ClaudeNode[];
  parent: Unit | null;
  readonly children: Unit[];
}

/**
 * The messages of a tree of lines as Claude Code sends them: the lines of one answer are one message, and so are its
 * calls' results, wherever their lines hang; user lines that follow each other are one message, and what the agent put
 * beside stands beside. Each branch has its own messages from where it leaves the others.
 */
export function messagesOfTree(nodes: readonly ClaudeNode[]): readonly TranscriptMessage[] {
  return walk(unitsOf(nodes));
}

/** The units of the tree, linked; in the order of their first lines. */
function unitsOf(nodes: readonly ClaudeNode[]): readonly Unit[] {
  const { units, unitOf } = gather(nodes);
  const results = new Map<Unit, Unit>();
  for (const unit of units) {
    const answer = unit.kind === 'user' ? answerOf(unit, unitOf) : null;
    if (answer !== null) results.set(answer, unit);
  }
  for (const unit of units) {
    const first = unit.nodes[0] as ClaudeNode;
    const own = results.size > 0 && unit.kind === 'user' ? answerOf(unit, unitOf) : null;
    const above = own ?? (first.parentUuid === null ? null : (unitOf.get(first.parentUuid) ?? null));
    // What hangs on an answer hangs behind its results.
    const behind = above === null || own !== null ? above : (results.get(above) ?? above);
    unit.parent = behind === unit ? null : behind;
  }
  for (const unit of units) unit.parent?.children.push(unit);
  withoutCircles(units);
  return withPreserved(units, unitOf);
}

function gather(nodes: readonly ClaudeNode[]): { units: Unit[]; unitOf: Map<string, Unit> } {
  const units: Unit[] = [];
  const unitOf = new Map<string, Unit>();
  const answers = new Map<string, Unit>();
  const callers = new Map<string, string>();
  for (const node of nodes) {
    if (node.kind !== 'assistant') continue;
    for (const call of node.calls) if (!callers.has(call)) callers.set(call, node.answerId ?? node.uuid);
  }
  for (const node of nodes) {
    const call = node.kind === 'user' ? node.results.find((id) => callers.has(id)) : undefined;
    const key =
      node.kind === 'assistant' && node.answerId !== null
        ? `answer ${node.answerId}`
        : call === undefined
          ? null
          : `results ${callers.get(call)}`;
    const known = key === null ? undefined : answers.get(key);
    const unit = known ?? { kind: node.kind, nodes: [], parent: null, children: [] };
    unit.nodes.push(node);
    unitOf.set(node.uuid, unit);
    if (known !== undefined) continue;
    units.push(unit);
    if (key !== null) answers.set(key, unit);
  }
  return { units, unitOf };
}

/** The answer whose calls' results a unit brings: what its first line hangs on, if that is one. */
function answerOf(unit: Unit, unitOf: ReadonlyMap<string, Unit>): Unit | null {
  const first = unit.nodes[0] as ClaudeNode;
  if (first.results.length === 0 || first.parentUuid === null) return null;
  const above = unitOf.get(first.parentUuid);
  return above?.kind === 'assistant' ? above : null;
}

/** Cuts circles, which only a damaged file has: each line is reached from a root. */
function withoutCircles(units: readonly Unit[]): void {
  const reached = new Set<Unit>();
  const reach = (root: Unit) => {
    for (const open = [root]; open.length > 0; ) {
      const unit = open.pop() as Unit;
      if (reached.has(unit)) continue;
      reached.add(unit);
      open.push(...unit.children);
    }
  };
  for (const unit of units) if (unit.parent === null) reach(unit);
  for (const unit of units) {
    if (reached.has(unit)) continue;
    unit.parent?.children.splice(unit.parent.children.indexOf(unit), 1);
    unit.parent = null;
    reach(unit);
  }
}

/** Puts in what a compaction sends again: copies behind the summary, before what followed that. */
function withPreserved(units: readonly Unit[], unitOf: ReadonlyMap<string, Unit>): readonly Unit[] {
  const all = [...units];
  for (const { nodes } of units) {
    const preserved = nodes[0]?.preserved;
    const anchor = preserved == null ? undefined : unitOf.get(preserved.anchor);
    if (preserved == null || anchor === undefined) continue;
    const originals = new Set(preserved.uuids.flatMap((uuid) => unitOf.get(uuid) ?? []));
    const followers = anchor.children.splice(0);
    let last = anchor;
    for (const { kind, nodes: lines } of originals) {
      const copy: Unit = { kind, nodes: lines, parent: last, children: [] };
      last.children.push(copy);
      all.push(copy);
      last = copy;
    }
    for (const follower of followers) follower.parent = last;
    last.children.push(...followers);
  }
  return all;
}

/** A message while the walk may still put something beside it. */
interface OpenMessage extends TranscriptMessage {
  readonly beside: BesideElement[];
}

/** Where the walk stands: the message before, and user lines that are not a message yet. */
interface Place {
  readonly parent: OpenMessage | null;
  readonly open: readonly ClaudeNode[];
  readonly beside: readonly BesideElement[];
  readonly compacted: boolean;
}

const START: Place = { parent: null, open: [], beside: [], compacted: false };

/** Goes through the tree from its roots, without recursion: a conversation may be tens of thousands of lines deep. */
function walk(units: readonly Unit[]): readonly TranscriptMessage[] {
  const messages: OpenMessage[] = [];
  const leadOn = unitsThatLeadOn(units);
  const todo: { readonly unit: Unit; readonly place: Place }[] = units
    .filter((unit) => unit.parent === null)
    .map((unit) => ({ unit, place: START }))
    .reverse();
  for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
    const children = at.unit.children.filter((child) => leadOn.has(child));
    const here = behind(messages, at.unit, at.place);
    const ends = at.unit.children.filter((child) => !leadOn.has(child)).flatMap(asidesUnder);
    const place = { ...here, beside: [...here.beside, ...ends] };
    const isClosed = children.length === 0 || children.some((child) => child.kind === 'assistant');
    const closed = isClosed ? closedAt(messages, place) : place;
    // User lines go on with those before; without any there is nothing that what stands beside could belong to later.
    const open = place.open.length > 0 ? place : closed;
    for (const unit of children.toReversed())
      todo.push({ unit, place: unit.kind === 'assistant' ? closed : open });
  }
  return messages;
}

/** The units that say something, and those that such ones hang on; the others are ends that nobody sends. */
function unitsThatLeadOn(units: readonly Unit[]): ReadonlySet<Unit> {
  const found = new Set<Unit>();
  for (const unit of units) {
    if (unit.kind !== 'user' && unit.kind !== 'assistant') continue;
    for (let at: Unit | null = unit; at !== null && !found.has(at); at = at.parent) found.add(at);
  }
  return found;
}

/** What stands beside, of a unit and everything under it. */
function asidesUnder(unit: Unit): readonly BesideElement[] {
  const found: BesideElement[] = [];
  for (const open = [unit]; open.length > 0; ) {
    const { kind, nodes, children } = open.pop() as Unit;
    open.push(...children);
    if (kind === 'aside') found.push(asideElement(nodes));
  }
  return found;
}

function asideElement([node]: readonly ClaudeNode[]): BesideElement {
  return { element: node?.parts[0] as Uint8Array, at: node?.at ?? null };
}

/** The place behind a unit. */
function behind(messages: OpenMessage[], { kind, nodes }: Unit, place: Place): Place {
  if (kind === 'boundary') return { ...START, compacted: true };
  if (kind === 'user') return { ...place, open: [...place.open, ...nodes] };
  if (kind === 'passed') return place;
  if (kind === 'aside') return { ...place, beside: [...place.beside, asideElement(nodes)] };
  const parts = nodes.flatMap((node) => node.parts);
  return { ...START, parent: add(messages, place, 'assistant', parts, nodes) };
}

/** The place where the user lines before it are a message, and what stands beside has found one. */
function closedAt(messages: OpenMessage[], place: Place): Place {
  if (place.open.length > 0) {
    const parts = mergeParts(place.open.map((node) => node.parts));
    return { ...START, parent: add(messages, place, 'user', parts, place.open) };
  }
  if (place.parent === null) return place;
  place.parent.beside.push(...place.beside);
  return { ...place, beside: [] };
}

function add(
  messages: OpenMessage[],
  { parent, beside, compacted }: Place,
  role: 'user' | 'assistant',
  parts: readonly Uint8Array[],
  nodes: readonly ClaudeNode[],
): OpenMessage {
  const message: OpenMessage = {
    parent,
    element: elementOf(role, parts),
    at: nodes.findLast((node) => node.at !== null)?.at ?? null,
    beside: [...beside],
    compacted,
  };
  messages.push(message);
  return message;
}

function elementOf(role: 'user' | 'assistant', parts: readonly Uint8Array[]): Uint8Array {
  const pieces: Uint8Array[] = [Buffer.from(`{"role":"${role}","content":[`)];
  for (const [index, part] of parts.entries()) pieces.push(...(index > 0 ? [Buffer.from(',')] : []), part);
  return Buffer.concat([...pieces, Buffer.from(']}')]);
}
