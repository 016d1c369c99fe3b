import type { WireViewPart } from '@/server/api/index.ts';

/** A line of the two columns. `part`: a stretch or a piece of ours, by its number; below it, where it is open, what is in it. */
export type Line =
  | { readonly is: 'frame' }
  | { readonly is: 'part'; readonly number: number; readonly part: WireViewPart; readonly open: boolean }
  | { readonly is: 'message'; readonly number: number; readonly message: number; readonly side: Side }
  | { readonly is: 'text'; readonly number: number; readonly part: OursPart };

/** Where a message stands: on both sides, or with its client alone. */
export type Side = 'both' | 'client';

/** A piece of ours. */
export type OursPart = Extract<WireViewPart, { is: 'ours' }>;

/** The lines of a view, top to bottom. @param open the numbers of the parts that are open */
export function linesOf(parts: readonly WireViewPart[], open: ReadonlySet<number>): readonly Line[] {
  const lines: Line[] = [{ is: 'frame' }];
  for (const [number, part] of parts.entries()) {
    if (part.is === 'missing' || !open.has(number)) {
      lines.push({ is: 'part', number, part, open: false });
      continue;
    }
    lines.push({ is: 'part', number, part, open: true });
    if (part.is === 'ours') lines.push({ is: 'text', number, part });
    else {
      const side = part.is === 'kept' ? 'both' : 'client';
      for (let message = part.from; message < part.to; message += 1)
        lines.push({ is: 'message', number, message, side });
    }
  }
  return lines;
}

/** A key that a line keeps while other parts open and close. */
export function lineKey(line: Line | undefined): string {
  if (line === undefined) return '';
  if (line.is === 'frame') return 'frame';
  return line.is === 'message' ? `${line.number} ${line.message}` : `${line.is} ${line.number}`;
}
