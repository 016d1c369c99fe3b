import type { OwnKind } from '../edits.ts';
import { hasOnly } from '../members.ts';
import type { Skim, SkimNode } from '../skim.ts';
import { type Finding, finding } from '../verdict.ts';
import { callId, isAnswered, isOutput } from './pairs.ts';
import { type Item, shareOf, whereIs } from './read.ts';

const MESSAGE_KEYS = new Set(['type', 'role', 'content', 'id', 'status']);
const TEXT_KEYS = new Set(['type', 'text', 'prompt_cache_breakpoint']);
const CALL_KEYS = new Set(['type', 'id', 'call_id', 'name', 'arguments', 'status']);
const OUTPUT_KEYS = new Set(['type', 'id', 'call_id', 'output', 'status']);

/** Judges items of ours, in the order of the input: that each is of its kind and stands where its kind may stand. */
export class OwnItems {
  private readonly hidden = new Set<string>();
  private readonly open = new Set<string>();

  constructor(
    private readonly doc: Skim,
    private readonly items: readonly Item[],
    private readonly ownTool: string | null,
  ) {}

  /** Every item of the input passes here, ours or not. */
  pass(item: Item): void {
    const id = callId(this.doc, item);
    if (id === null) return;
    if (isAnswered(item)) this.open.add(id);
    else if (isOutput(item)) this.open.delete(id);
  }

  /** Judges an item of ours; call it before the item passes. */
  check(item: Item, kind: OwnKind): Finding | null {
    return kind === 'hidden-round' ? this.checkRound(item) : this.checkText(item, kind);
  }

  private checkRound(item: Item): Finding | null {
    const where = whereIs(item);
    const id = callId(this.doc, item);
    if (item.type === 'function_call' && id !== null) {
      this.hidden.add(id);
      return this.doc.stringMember(item.node, 'name') === this.ownTool &&
        this.ownTool !== null &&
        hasOnly(this.doc, item.node, CALL_KEYS)
        ? null
        : finding('addition', where, 'A hidden call is a call of our tool alone.');
    }
    const answers = item.type === 'function_call_output' && id !== null && this.hidden.has(id);
    return answers && hasOnly(this.doc, item.node, OUTPUT_KEYS)
      ? null
      : finding('addition', where, 'A hidden output answers a hidden call before it.');
  }

  private checkText(item: Item, kind: OwnKind): Finding | null {
    const where = whereIs(item);
    const roles = kind === 'stub' ? ['developer'] : ['user', 'developer'];
    if (item.role === null || !roles.includes(item.role) || !hasOnly(this.doc, item.node, MESSAGE_KEYS))
      return finding('addition', where, `A ${kind} is a message of the role ${roles.join(' or ')}.`);
    if (!this.isText(this.doc.member(item.node, 'content')))
      return finding('addition', where, 'What is ours is text alone, and not blank.');
    if (this.open.size > 0)
      return finding('addition', where, 'Nothing of ours stands between a call and its output.');
    const before = this.items[item.index - 1];
    const after = this.items[item.index + 1];
    const divides =
      before !== undefined &&
      (shareOf(before) === 'reasoning' ||
        (shareOf(before) === 'made' && after !== undefined && shareOf(after) === 'made'));
    return divides ? finding('addition', where, 'Nothing of ours stands inside a reasoning group.') : null;
  }

  private isText(content: SkimNode | null): boolean {
    const { doc } = this;
    if (doc.kind(content) === 'string') return doc.string(content)?.trim() !== '';
    const parts = doc.entries(content);
    return (
      parts.length > 0 &&
      parts.every((part) => {
        const text = doc.stringMember(part, 'text');
        const isInput = doc.stringMember(part, 'type') === 'input_text';
        return isInput && text !== null && text.trim() !== '' && hasOnly(doc, part, TEXT_KEYS);
      })
    );
  }
}
