import type { ReplacedKind } from './edits.ts';
import { sameMembers } from './members.ts';
import type { Skim, SkimNode } from './skim.ts';
import { type Finding, finding } from './verdict.ts';

/** A result of the edited body, and the client's that it stands for. */
export interface ReplacedResult {
  readonly doc: Skim;
  readonly node: SkimNode;
  readonly before: Skim;
  readonly beforeNode: SkimNode;
  /** The key of the text: `content`, or `output` on Responses. */
  readonly key: 'content' | 'output';
  /** The type of a text part in it. */
  readonly textType: 'text' | 'input_text';
  readonly where: string;
}

/** A tool result with its text replaced: nothing else is changed, the new text is text, and a trimmed one is shorter. */
export function checkReplaced(kind: ReplacedKind, result: ReplacedResult): Finding | null {
  const { doc, node, before, beforeNode, key, where } = result;
  if (!sameMembers(doc, node, before, beforeNode, key))
    return finding('kept', where, `More than the ${key} of the result was changed.`);
  const text = doc.member(node, key);
  const old = before.member(beforeNode, key);
  if (text === null || old === null || !isText(doc, text, result.textType, true))
    return finding('addition', where, 'A replaced result holds text, and is not blank.');
  if (kind === 'filled-result') return null;
  if (!isText(before, old, result.textType, false))
    return finding('addition', where, 'Only results of text are trimmed.');
  return doc.end(text) - doc.start(text) < before.end(old) - before.start(old)
    ? null
    : finding('addition', where, 'A trimmed result is shorter than the whole one.');
}

function isText(doc: Skim, node: SkimNode, textType: string, filled: boolean): boolean {
  if (doc.kind(node) === 'string') return !filled || doc.string(node)?.trim() !== '';
  if (doc.kind(node) !== 'array') return false;
  const parts = doc.children(node);
  return (
    (parts.length > 0 || !filled) &&
    parts.every((part) => {
      const text = doc.stringMember(part, 'text');
      return doc.stringMember(part, 'type') === textType && text !== null && (!filled || text.trim() !== '');
    })
  );
}
