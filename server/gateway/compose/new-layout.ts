import { createHash } from 'node:crypto';
import { hexOf, type Item, type MessageHash, type Slice } from '../../conversation/index.ts';
import type { Uuid } from '../../kernel/ids.ts';
import {
  type BoundaryElement,
  budgetsOf,
  INDEX_RENDERER,
  indexEntries,
  type LayoutContent,
  planLayout,
  type RecallSettings,
} from '../../recall/index.ts';
import { estimateText } from '../estimate/index.ts';
import { type ArchivedChain, isConfirmed, olderMessages } from './archived.ts';
import type { Conversation } from './conversation.ts';
import type { PlannedLayout } from './plan.ts';

/** What a new layout is made from. */
export interface LayoutQuestion {
  readonly conversation: Conversation;
  readonly chain: ArchivedChain;
  readonly settings: RecallSettings;
  /** The context limit in tokens; null: the window is unknown. */
  readonly limit: number | null;
  /** Tokens of what stands outside the elements (system prompt, tools) and of the memory block. */
  readonly fixed: number;
  /** What the thread's estimates are multiplied with to be the provider's counts. */
  readonly factor: number;
  /** The memory part, and the facts in it. */
  readonly memory: string | null;
  readonly facts: readonly Uuid[];
  readonly cacheMark: '5m' | '1h' | null;
  /** Elements that stay whatever is cut, and those before the first that may leave. */
  readonly stays: (element: number) => boolean;
  readonly floor: number;
  readonly parse: (slice: Slice) => readonly Item[];
  /** The working folder; paths inside it are shown from there. */
  readonly folder: string | null;
}

/** A layout that could be made of a request. */
export interface NewLayout {
  readonly content: LayoutContent;
  readonly planned: PlannedLayout;
  /** Estimated tokens of the whole prompt under it, and the elements that leave the view. */
  readonly tokens: number;
  readonly leaves: number;
}

/** Plans a layout; where none can be made, why. */
export function newLayout(question: LayoutQuestion): NewLayout | string {
  const { conversation, chain, settings, limit, fixed, memory, facts, cacheMark, floor } = question;
  const older = olderMessages(chain, conversation, question.parse);
  const typed = new Set(older.flatMap((one) => one.typed));
  const lastTyped = conversation.facts.findLastIndex((facts) => facts.typed);
  const plan = planLayout({
    elements: boundaryElements(question),
    floor,
    entriesBefore: (at) =>
      indexEntries(
        older
          .filter(({ element }) => element >= floor && element < at && element !== lastTyped)
          .map(({ message }) => message),
        question.folder,
      ),
    stored: chain.stored,
    fixed,
    limit,
    settings,
    estimate: estimateText,
  });
  if (typeof plan === 'string') return plan;
  const { at, runningTyped } = plan.boundary;
  const boundary = boundaryMark(conversation, at);
  const running = runningTyped === null ? null : (conversation.marks[runningTyped] ?? null);
  const boundaryMessage = chain.positions[at];
  if (boundary === null || boundaryMessage === undefined || (runningTyped !== null && running === null))
    return 'no_place';
  const { index } = plan;
  return {
    tokens: plan.tokens,
    leaves: plan.boundary.leaves,
    planned: { at, runningTyped, memory, index: index.text, cacheMark },
    content: {
      boundary,
      boundaryMessage,
      runningTyped: running,
      renderer: INDEX_RENDERER,
      index: index.pieces.map((piece) =>
        typeof piece === 'string' || typed.has(piece.docid) ? piece : textOfPiece(older, piece),
      ),
      indexHash: hashOfIndex(index.text),
      indexTokens: index.tokens,
      memory,
      ...(facts.length === 0 ? {} : { facts }),
      cacheMark,
      settings: { ...settings },
    },
  };
}

/** The SHA-256 of an index, in hex. */
export function hashOfIndex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The mark of a cut: of the first element behind it that has one. */
function boundaryMark({ marks }: Conversation, at: number): MessageHash | null {
  return marks.slice(at).find((mark) => mark !== null) ?? null;
}

/** Where a kept layout's cut stands in a request; null: it is not in it. */
export function boundaryElement({ marks, facts }: Conversation, boundary: MessageHash): number | null {
  const hex = hexOf(boundary);
  const found = marks.findIndex((mark) => mark !== null && hexOf(mark) === hex);
  if (found < 0) return null;
  let at = found;
  while (at > 0 && marks[at - 1] === null && facts[at - 1]?.reasoning === 'only') at -= 1;
  return at;
}

function boundaryElements({
  conversation,
  chain,
  factor,
  stays,
}: LayoutQuestion): readonly BoundaryElement[] {
  return conversation.facts.map((facts, index) => ({
    role: facts.side,
    older: stays(index) ? 'stays' : 'leaves',
    typed: facts.typed && !stays(index),
    results: facts.results,
    opens: facts.opens,
    closes: facts.closes,
    joins: facts.side === 'assistant' && conversation.facts[index - 1]?.side === 'assistant',
    tokens: Math.ceil(facts.tokens * factor),
    confirmed: isConfirmed(chain, index),
  }));
}

/** A stretch of a text that is not the client's own: the archive's words, which may be kept. */
function textOfPiece(
  older: ReturnType<typeof olderMessages>,
  piece: { readonly docid: string; readonly start: number; readonly end: number },
): string {
  for (const { message } of older) {
    const position = message.docids.indexOf(piece.docid as never);
    const item = position < 0 ? undefined : message.message.items[position];
    if (item !== undefined) return item.text.slice(piece.start, piece.end);
  }
  return '';
}

/**
 * What a prompt would be under a layout made now, without making it: what stays in view by the preset, and an index of
 * the rest by rule of thumb. It decides whether a layout is worth planning; the plan decides whether it is made.
 */
export function roughlyLaidOut(
  conversation: Conversation,
  settings: RecallSettings,
  sizes: { readonly limit: number | null; readonly fixed: number; readonly factor: number },
): number {
  const { limit, fixed, factor } = sizes;
  const { recent, index } = budgetsOf(settings, limit, fixed);
  let kept = 0;
  let told = 0;
  let isRecent = true;
  for (const facts of conversation.facts.toReversed()) {
    const tokens = facts.tokens * factor;
    isRecent &&= kept + tokens <= recent;
    if (isRecent) kept += tokens;
    else told += facts.typed ? tokens : facts.print !== null ? LINE_TOKENS : 0;
  }
  return Math.ceil(fixed + kept + Math.min(told, index));
}

/** Tokens of an answer's or a call's line in an index. */
const LINE_TOKENS = 40;
