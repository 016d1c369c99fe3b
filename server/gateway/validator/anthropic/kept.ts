import { type EditBook, isOwn } from '../edits.ts';
import { type ClientBody, isSlice } from '../fields.ts';
import { sameMembers, sameValue } from '../members.ts';
import { checkReplaced } from '../replaced.ts';
import { type Skim, skim } from '../skim.ts';
import { type Finding, finding } from '../verdict.ts';
import { OwnPieces } from './own.ts';
import { type Conversation, isThinking, type Message, type Part, readMessage, whereIs } from './read.ts';
import type { ThinkingTrail } from './thinking.ts';

/** A message of the client's body. */
export interface ClientMessage {
  readonly doc: Skim;
  readonly message: Message;
}

/** Reads one message of the client's body; null where it is none. */
export function clientMessage({ bytes, elements }: ClientBody, index: number): ClientMessage | null {
  const slice = elements[index];
  const doc = slice === undefined ? null : skim(bytes.subarray(slice.start, slice.end));
  const message = doc === null ? null : readMessage(doc, 0, index);
  return doc === null || message === null || 'rule' in message ? null : { doc, message };
}

/** What a part of an answer says, by its type. */
const TOLD_BY: ReadonlyMap<string, readonly string[]> = new Map([
  ['text', ['text']],
  ['thinking', ['thinking', 'signature']],
  ['redacted_thinking', ['data']],
  ['tool_use', ['id', 'name']],
  ['server_tool_use', ['id', 'name']],
]);

/**
 * Goes through the edited messages and the client's side by side. What is not named as an edit must be the client's
 * next message or part, byte for byte; what the edits leave out is stepped over; at the end nothing is left.
 */
export class KeptWalk {
  private element = 0;
  private part = 0;
  private read: ClientMessage | null = null;
  private readonly own: OwnPieces;

  constructor(
    private readonly conversation: Conversation,
    private readonly client: ClientBody,
    private readonly book: EditBook,
    private readonly trail: ThinkingTrail,
    ownTool: string | null,
  ) {
    this.own = new OwnPieces(conversation.doc, ownTool);
  }

  /** The first byte that is neither the client's nor named. */
  check(): Finding | null {
    for (const message of this.conversation.messages) {
      const found = this.checkMessage(message);
      if (found !== null) return found;
    }
    this.settle();
    if (this.element >= this.client.elements.length) return null;
    const part = this.part === 0 ? '' : `/content/${this.part}`;
    return finding('kept', `client:/messages/${this.element}${part}`, 'This of the client is missing.');
  }

  private checkMessage(message: Message): Finding | null {
    const kind = this.book.elementEdit(message.index);
    if (isOwn(kind)) return this.own.checkMessage(message, kind);
    if (kind !== null) return finding('edits', whereIs(message), `A ${kind} names a part, not a message.`);
    if (this.takeWhole(message)) return null;
    this.settle();
    return this.takeWhole(message) ? null : this.checkParts(message);
  }

  /** Takes the client's next message where the edited one is the same and nothing of it is left out. */
  private takeWhole(message: Message): boolean {
    const { element } = this;
    const slice = this.client.elements[element];
    if (this.part > 0 || slice === undefined) return false;
    if (this.book.isLeftOut(element) || this.book.hasPartsLeftOut(element)) return false;
    if (!isSlice(this.conversation.doc, message.node, this.client, slice)) return false;
    if (message.parts.some(isThinking)) {
      if (this.book.isThinkingLeftOut(element)) return false;
      this.trail.kept();
    }
    this.trail.saw(message, element);
    this.advance();
    return true;
  }

  private checkParts(message: Message): Finding | null {
    const sources: number[] = [];
    let joins = false;
    const asksHidden = this.asksHidden(message);
    for (const part of message.parts) {
      const kind = part.index === null ? null : this.book.partEdit(message.index, part.index);
      if (isOwn(kind)) {
        joins ||= kind === 'head-message';
        const found = this.own.checkPart(message, part, kind);
        if (found !== null) return found;
        continue;
      }
      this.settle();
      const before = this.current();
      const old = before?.message.parts[this.part];
      // Agents leave reasoning out of what they send again; what was sent for a hidden round still has it.
      const isExtra = asksHidden && isThinking(part) && !this.isSaid(part, before, old);
      if (isExtra) continue;
      if (before === null || old === undefined || before.message.role !== message.role)
        return this.foreign(message, part);
      if (sources.at(-1) !== this.element) {
        if (!asksHidden && !this.hasEnvelope(message, before))
          return finding('kept', whereIs(message), "What stands beside the content is not the client's.");
        sources.push(this.element);
        this.trail.saw(before.message, this.element);
      }
      const found =
        kind === null
          ? this.isKept(part, before.doc, old) || (asksHidden && this.isSaid(part, before, old))
            ? null
            : this.foreign(message, part)
          : this.checkReplaced(kind, message, part, before.doc, old);
      if (found !== null) return found;
      if (isThinking(part)) this.trail.kept();
      this.part++;
    }
    if (this.part > 0) this.settleInside();
    return this.checkSeams(message, sources, joins, asksHidden);
  }

  /** An answer with a call of ours in it: it stands as it was sent the first time, not as the agent writes it again. */
  private asksHidden({ index, role, parts }: Message): boolean {
    const isHidden = (part: Part) =>
      part.index !== null && this.book.partEdit(index, part.index) === 'hidden-round';
    return role === 'assistant' && parts.some(isHidden);
  }

  /** The same said again: its words, its call, its signed reasoning, however they are written. */
  private isSaid(part: Part, before: ClientMessage | null, old: Part | undefined): boolean {
    const keys = TOLD_BY.get(part.type);
    if (before === null || old === undefined || old.type !== part.type || keys === undefined) return false;
    const { doc } = this.conversation;
    return keys.every((key) => {
      const value = doc.stringMember(part.node, key);
      return value !== null && value === this.saidBy(before.doc, old, key);
    });
  }

  private saidBy(doc: Skim, part: Part, key: string): string | null {
    return part.index === null ? doc.string(part.node) : doc.stringMember(part.node, key);
  }

  /** A message may join messages of the client only in a head, and end inside of one only with a hidden call in it. */
  private checkSeams(
    message: Message,
    sources: readonly number[],
    joins: boolean,
    asksHidden: boolean,
  ): Finding | null {
    if (sources.length > 1 && !joins)
      return finding('kept', whereIs(message), 'Messages of the client were joined.');
    if (this.part > 0 && this.element === sources.at(-1) && !asksHidden)
      return finding('kept', whereIs(message), 'A message of the client was divided.');
    if (sources.length > 0) return null;
    const keys = this.conversation.doc.children(message.node).length;
    return message.parts.length > 0 && keys === 2
      ? null
      : finding('kept', whereIs(message), 'The message is neither ours nor the client message at its place.');
  }

  private checkReplaced(
    kind: 'trimmed-result' | 'filled-result',
    message: Message,
    part: Part,
    before: Skim,
    old: Part,
  ): Finding | null {
    const where = whereIs(message, part);
    if (part.type !== 'tool_result' || old.type !== 'tool_result')
      return finding('addition', where, `A ${kind} is a tool result.`);
    const { doc } = this.conversation;
    return checkReplaced(kind, {
      doc,
      node: part.node,
      before,
      beforeNode: old.node,
      key: 'content',
      textType: 'text',
      where,
    });
  }

  /** The same bytes; a bare string may have become a text part of the same bytes, so that parts can stand beside it. */
  private isKept(part: Part, before: Skim, old: Part): boolean {
    const { doc } = this.conversation;
    if ((old.index === null) === (part.index === null)) return sameValue(doc, part.node, before, old.node);
    const text = doc.member(part.node, 'text');
    return (
      old.index === null &&
      part.type === 'text' &&
      text !== null &&
      doc.children(part.node).length === 2 &&
      sameValue(doc, text, before, old.node)
    );
  }

  private hasEnvelope(message: Message, before: ClientMessage): boolean {
    return sameMembers(this.conversation.doc, message.node, before.doc, before.message.node, 'content');
  }

  private foreign(message: Message, part: Part): Finding {
    const client = `client:/messages/${this.element}/content/${this.part}`;
    return finding('kept', whereIs(message, part), `This is not the client's next part (${client}).`);
  }

  /** Steps over what the edits leave out, and from the end of a message to the next. */
  private settle(): void {
    while (this.element < this.client.elements.length) {
      if (this.book.isLeftOut(this.element)) this.advance();
      else if (!this.settleInside()) return;
    }
  }

  /** Steps over what is left out of the client's message here; true where that was its end. */
  private settleInside(): boolean {
    const { element } = this;
    const thinks = this.book.isThinkingLeftOut(element);
    if (this.part === 0 && !thinks && !this.book.hasPartsLeftOut(element)) return false;
    const parts = this.current()?.message.parts ?? [];
    for (let part = parts[this.part]; part !== undefined; part = parts[this.part]) {
      if (thinks && isThinking(part)) this.trail.leftOut(element);
      else if (!this.book.isPartLeftOut(element, this.part)) return false;
      this.part++;
    }
    if (parts.length === 0) return false;
    this.advance();
    return true;
  }

  private current(): ClientMessage | null {
    this.read ??= clientMessage(this.client, this.element);
    return this.read;
  }

  private advance(): void {
    this.element++;
    this.part = 0;
    this.read = null;
  }
}
