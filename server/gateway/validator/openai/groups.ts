import type { EditBook } from '../edits.ts';
import type { LatestThinking } from '../request.ts';
import type { Skim } from '../skim.ts';
import { type Finding, finding, firstAmong } from '../verdict.ts';
import type { Fate, KeptWalk } from './kept.ts';
import { type Item, shareOf, whereIs } from './read.ts';

/**
 * Reasoning stands with what it led to: of a group (reasoning, then answers and calls up to the next reasoning or to
 * what no model made) either everything is kept or nothing. Its calls' outputs follow by the rule of pairs.
 */
export function checkGroups({ fates }: KeptWalk, form: LatestThinking): Finding | null {
  let group: Fate[] = [];
  for (const [index, fate] of fates.entries()) {
    const share = shareOf(fate.item);
    if (fate.fate === 'thinking-left-out' && form !== 'untouched-or-none')
      return finding('thinking', client(index), 'Reasoning must not be left out of a kept group.');
    const last = group.at(-1);
    const goes = share === 'made' ? last !== undefined : share === 'reasoning' && isReasoning(last);
    if (!goes) {
      const found = checkGroup(group, index);
      if (found !== null) return found;
      group = [];
    }
    if (share === 'reasoning' || (share === 'made' && goes)) group.push(fate);
  }
  return checkGroup(group, fates.length);
}

function isReasoning(fate: Fate | undefined): boolean {
  return fate !== undefined && shareOf(fate.item) === 'reasoning';
}

function checkGroup(group: readonly Fate[], end: number): Finding | null {
  const out = group.filter(({ fate }) => fate === 'left-out').length;
  if (out === 0 || out === group.length) return null;
  return finding(
    'reasoning-group',
    client(end - group.length),
    'Reasoning and what it led to are left out together or not at all.',
  );
}

/** A compacted window (everything up to the last compaction item) stays whole and first. */
export function checkCompactedWindow({ fates, ownAt }: KeptWalk): Finding | null {
  const last = fates.findLastIndex(({ item }) => item.type === 'compaction');
  if (last < 0) return null;
  const broken = fates.findIndex(({ fate }, index) => index <= last && fate !== 'kept');
  if (broken >= 0) return finding('compaction', client(broken), 'A compacted window must stay whole.');
  const before = ownAt.find(({ at }) => at <= last);
  return before === undefined
    ? null
    : finding('compaction', whereIs(before.item), 'A compacted window must stay first.');
}

/** Items that change tools or configuration, or hold a compacted past: a layout never puts them out of view. */
const STAYING: ReadonlySet<string> = new Set([
  'additional_tools',
  'configuration_update',
  'tool_search_call',
  'tool_search_output',
  'compaction',
  'compaction_trigger',
]);

/** What is left out: whole turns, and of a layout nothing that the rest lives by. */
export function checkLeftOut({ fates }: KeptWalk, book: EditBook): Finding | null {
  const opens = (index: number) => fates[index]?.item.role === 'user';
  return (
    firstAmong(book.ranges('left-out-turn'), ({ from, to, edit }) =>
      opens(from) && (to >= fates.length || opens(to))
        ? null
        : finding('edits', `edits/${edit}`, 'A turn is left out whole, or not at all.'),
    ) ??
    firstAmong(book.ranges('left-out-messages'), ({ from, to }) =>
      firstAmong(fates.slice(from, to), ({ item }, index) =>
        STAYING.has(item.type)
          ? finding('edits', client(from + index), `A ${item.type} is never left out by a layout.`)
          : null,
      ),
    )
  );
}

/** No deferred tool is called whose search was left out. */
export function checkDeferred({ fates }: KeptWalk): Finding | null {
  const lost = new Set<string>();
  const found = new Set<string>();
  return firstAmong(fates, ({ item, doc, fate }) => {
    if (item.type === 'tool_search_output') {
      for (const name of toolNames(doc, item)) (fate === 'left-out' ? lost : found).add(name);
      return null;
    }
    if (item.type !== 'function_call' || fate === 'left-out') return null;
    const name = doc.stringMember(item.node, 'name') ?? '';
    return lost.has(name) && !found.has(name)
      ? finding(
          'deferred-tool',
          whereIs(item),
          `The deferred tool ${name} is called, and its search left out.`,
        )
      : null;
  });
}

/** Names of the tools that a search brought, those inside namespaces too. */
function toolNames(doc: Skim, item: Item): readonly string[] {
  const tools = doc.entries(doc.member(item.node, 'tools'));
  const inner = tools.flatMap((tool) => doc.entries(doc.member(tool, 'tools')));
  return [...tools, ...inner].flatMap((tool) => doc.stringMember(tool, 'name') ?? []);
}

function client(index: number): string {
  return `client:/input/${index}`;
}
