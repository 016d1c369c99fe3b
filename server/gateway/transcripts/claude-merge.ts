import { fieldsOf, viewOf } from '../../conversation/index.ts';
import { fieldText } from './line.ts';

/**
 * The parts of user lines that follow each other as Claude Code (2.1.197) sends them in one message: a text before a text
 * of the next line gets a line feed at its end; tool results come first.
 */
export function mergeParts(lines: readonly (readonly Uint8Array[])[]): readonly Uint8Array[] {
  let merged: readonly Uint8Array[] = [];
  for (const parts of lines) {
    const [last, first] = [merged.at(-1), parts[0]];
    const isSeam = last !== undefined && first !== undefined && isText(last) && isText(first);
    const before = isSeam ? [...merged.slice(0, -1), withLineFeed(last)] : merged;
    merged = resultsFirst([...before, ...parts]);
  }
  return merged;
}

function resultsFirst(parts: readonly Uint8Array[]): readonly Uint8Array[] {
  const isResult = (part: Uint8Array) => fieldText(part, 'type') === 'tool_result';
  return [...parts.filter(isResult), ...parts.filter((part) => !isResult(part))];
}

function isText(part: Uint8Array): boolean {
  return fieldText(part, 'type') === 'text';
}

/** A text part whose text ends in a line feed more; everything else of its bytes stays. */
function withLineFeed(part: Uint8Array): Uint8Array {
  const text = fieldsOf(part).get('text');
  if (text === undefined || part[text.end - 1] !== 0x22) return part;
  const bytes = viewOf(part);
  return Buffer.concat([bytes.subarray(0, text.end - 1), Buffer.from('\\n'), bytes.subarray(text.end - 1)]);
}
