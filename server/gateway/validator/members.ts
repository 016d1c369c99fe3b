import type { Skim, SkimNode } from './skim.ts';

/** True where two values hold the same bytes. */
export function sameValue(doc: Skim, node: SkimNode, other: Skim, otherNode: SkimNode): boolean {
  const start = doc.start(node);
  const end = doc.end(node);
  const otherStart = other.start(otherNode);
  const otherEnd = other.end(otherNode);
  return (
    end - start === otherEnd - otherStart &&
    doc.bytes.compare(other.bytes, otherStart, otherEnd, start, end) === 0
  );
}

/** True where two objects have the same members in the same order, byte for byte, but for those under `but`. */
export function sameMembers(
  doc: Skim,
  node: SkimNode,
  other: Skim,
  otherNode: SkimNode,
  but: string,
): boolean {
  const own = doc.children(node).filter((member) => doc.key(member) !== but);
  const others = other.children(otherNode).filter((member) => other.key(member) !== but);
  return (
    own.length === others.length &&
    own.every((member, index) => {
      const match = others[index];
      return (
        match !== undefined && doc.key(member) === other.key(match) && sameValue(doc, member, other, match)
      );
    })
  );
}

/** True where an object has no other keys, and none twice. */
export function hasOnly(doc: Skim, node: SkimNode, keys: ReadonlySet<string>): boolean {
  const names = doc.children(node).map((member) => doc.key(member));
  return new Set(names).size === names.length && names.every((name) => keys.has(name));
}
