import { type EditBook, isOwn, type OwnKind, type ReplacedKind } from '../edits.ts';
import { type ClientBody, checkToolList, isSlice } from '../fields.ts';
import { sameMembers } from '../members.ts';
import { checkReplaced } from '../replaced.ts';
import { type Skim, skim } from '../skim.ts';
import { type Finding, finding } from '../verdict.ts';
import { OwnItems } from './own.ts';
import { isOutput } from './pairs.ts';
import { type Conversation, type Item, readItem, whereIs } from './read.ts';

/** What became of one item of the client. */
export interface Fate {
  /** As it stands in the edited body, or, where it is left out, in the client's. */
  readonly item: Item;
  readonly doc: Skim;
  readonly fate: 'kept' | 'replaced' | 'left-out' | 'thinking-left-out';
}

/** Reads one item of the client's body; null where it is none. */
function clientItem({ bytes, elements }: ClientBody, index: number): { doc: Skim; item: Item } | null {
  const slice = elements[index];
  const doc = slice === undefined ? null : skim(bytes.subarray(slice.start, slice.end));
  const item = doc === null ? null : readItem(doc, 0, index);
  return doc === null || item === null || 'rule' in item ? null : { doc, item };
}

/**
 * Goes through the edited items and the client's side by side. What is not named as an edit must be the client's next
 * item, byte for byte; what the edits leave out is stepped over; at the end nothing is left.
 */
export class KeptWalk {
  /** Of each item of the client, in its order. */
  readonly fates: Fate[] = [];
  /** Of each item of ours: how many of the client's stand before it. */
  readonly ownAt: { readonly item: Item; readonly at: number }[] = [];
  private readonly own: OwnItems;

  constructor(
    private readonly conversation: Conversation,
    private readonly client: ClientBody,
    private readonly book: EditBook,
    private readonly ownTool: string | null,
  ) {
    this.own = new OwnItems(conversation.doc, conversation.items, ownTool);
  }

  /** The first byte that is neither the client's nor named. */
  check(): Finding | null {
    if (this.conversation.doc.kind(this.conversation.doc.member(0, 'input')) === 'string') return null;
    for (const item of this.conversation.items) {
      const kind = this.book.elementEdit(item.index);
      const found = isOwn(kind) ? this.checkOwn(item, kind) : (this.settle() ?? this.take(item, kind));
      if (found !== null) return found;
      this.own.pass(item);
    }
    const found = this.settle();
    if (found !== null || this.fates.length >= this.client.elements.length) return found;
    return finding('kept', `client:/input/${this.fates.length}`, 'This of the client is missing.');
  }

  private checkOwn(item: Item, kind: OwnKind): Finding | null {
    this.ownAt.push({ item, at: this.fates.length });
    return this.own.check(item, kind);
  }

  private take(item: Item, kind: ReplacedKind | null): Finding | null {
    const { doc } = this.conversation;
    const index = this.fates.length;
    const slice = this.client.elements[index];
    if (slice === undefined) return this.foreign(item);
    if (kind === null && isSlice(doc, item.node, this.client, slice)) {
      this.fates.push({ item, doc, fate: 'kept' });
      return null;
    }
    const before = clientItem(this.client, index);
    if (before === null || before.item.type !== item.type) return this.foreign(item);
    this.fates.push({ item, doc, fate: kind === null ? 'kept' : 'replaced' });
    if (kind === null)
      return item.type === 'additional_tools' && this.book.hasOwnTool(item.index)
        ? this.checkTools(item, before.doc, slice.start)
        : this.foreign(item);
    if (!isOutput(item)) return finding('addition', whereIs(item), `A ${kind} is the output of a call.`);
    return checkReplaced(kind, {
      doc,
      node: item.node,
      before: before.doc,
      beforeNode: before.item.node,
      key: 'output',
      textType: 'input_text',
      where: whereIs(item),
    });
  }

  private checkTools(item: Item, before: Skim, offset: number): Finding | null {
    const { doc } = this.conversation;
    if (!sameMembers(doc, item.node, before, 0, 'tools')) return this.foreign(item);
    return checkToolList(doc, this.client, this.book, this.ownTool, {
      nodes: doc.entries(doc.member(item.node, 'tools')),
      slices: before
        .entries(before.member(0, 'tools'))
        .map((node) => ({ start: offset + before.start(node), end: offset + before.end(node) })),
      item: item.index,
      where: `${whereIs(item)}/tools`,
    });
  }

  private foreign(item: Item): Finding {
    const client = `client:/input/${Math.min(this.fates.length, this.client.elements.length)}`;
    return finding('kept', whereIs(item), `This is not the client's next item (${client}), byte for byte.`);
  }

  /** Steps over what the edits leave out. */
  private settle(): Finding | null {
    for (;;) {
      const index = this.fates.length;
      const isOut = this.book.isLeftOut(index);
      if (index >= this.client.elements.length || (!isOut && !this.book.isThinkingLeftOut(index)))
        return null;
      const before = clientItem(this.client, index);
      if (before === null)
        return finding('edits', `client:/input/${index}`, 'What is left out cannot be read.');
      if (!isOut && before.item.type !== 'reasoning') return null;
      this.fates.push({ ...before, fate: isOut ? 'left-out' : 'thinking-left-out' });
    }
  }
}
