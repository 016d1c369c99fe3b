import type { OwnKind } from '../edits.ts';
import { hasOnly } from '../members.ts';
import type { Skim } from '../skim.ts';
import { type Finding, finding, firstAmong } from '../verdict.ts';
import { type Message, type Part, whereIs } from './read.ts';
import { isEmptyText } from './roles.ts';

const MESSAGE_KEYS = new Set(['role', 'content']);
const TEXT_KEYS = new Set(['type', 'text', 'cache_control']);
const CALL_KEYS = new Set(['type', 'id', 'name', 'input', 'cache_control']);
const RESULT_KEYS = new Set(['type', 'tool_use_id', 'content', 'is_error', 'cache_control']);

/** Judges what is ours: that it is of its kind and stands where its kind may stand. */
export class OwnPieces {
  /** Ids of our hidden calls so far. */
  private readonly calls = new Set<string>();

  constructor(
    private readonly doc: Skim,
    private readonly ownTool: string | null,
  ) {}

  /** Judges a whole message of ours. */
  checkMessage(message: Message, kind: OwnKind): Finding | null {
    if (!hasOnly(this.doc, message.node, MESSAGE_KEYS))
      return finding('addition', whereIs(message), 'A message of ours has a role and a content alone.');
    if (kind === 'memory-part' || (kind === 'stub' && message.role !== 'system'))
      return finding('addition', whereIs(message), `A ${kind} is no message of the role ${message.role}.`);
    if (message.role === 'system')
      return kind === 'hidden-round'
        ? finding('addition', whereIs(message), 'A hidden round is no system message.')
        : firstAmong(message.parts, (part) => this.checkText(message, part));
    return firstAmong(message.parts, (part) => this.checkPart(message, part, kind));
  }

  /** Judges a part of ours. */
  checkPart(message: Message, part: Part, kind: OwnKind): Finding | null {
    if (kind === 'hidden-round') return this.checkRound(message, part);
    if (message.role !== 'user' || (kind !== 'stub' && message.index !== 0))
      return finding('addition', whereIs(message, part), `A ${kind} does not stand in this message.`);
    return this.checkText(message, part);
  }

  private checkText(message: Message, part: Part): Finding | null {
    const where = whereIs(message, part);
    const text = part.index === null ? this.doc.string(part.node) : this.doc.stringMember(part.node, 'text');
    if (part.type !== 'text' || (part.index !== null && !hasOnly(this.doc, part.node, TEXT_KEYS)))
      return finding('addition', where, 'What is ours is text alone.');
    return text === null || text.trim() === ''
      ? finding('addition', where, 'A text of ours must not be blank.')
      : null;
  }

  private checkRound(message: Message, part: Part): Finding | null {
    const where = whereIs(message, part);
    if (part.type === 'tool_use') {
      const id = this.doc.stringMember(part.node, 'id');
      const name = this.doc.stringMember(part.node, 'name');
      if (id === null || name === null || name !== this.ownTool || !hasOnly(this.doc, part.node, CALL_KEYS))
        return finding('addition', where, 'A hidden call is a call of our tool alone.');
      this.calls.add(id);
      return null;
    }
    const id = this.doc.stringMember(part.node, 'tool_use_id');
    const answers = part.type === 'tool_result' && id !== null && this.calls.has(id);
    return answers && hasOnly(this.doc, part.node, RESULT_KEYS) && this.isFilled(part)
      ? null
      : finding('addition', where, 'A hidden result answers a hidden call before it, and has no empty text.');
  }

  private isFilled(part: Part): boolean {
    const content = this.doc.member(part.node, 'content');
    return !this.doc.entries(content).some((node) => isEmptyText(this.doc, node));
  }
}
