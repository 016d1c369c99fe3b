'use client';

import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, type Ref, useEffect, useMemo, useRef } from 'react';
import { integer } from '@/app/_lib/format.ts';
import { Button } from '@/app/_ui/button.tsx';
import { cx } from '@/app/_ui/cx.ts';
import { ScrollRegion } from '@/app/_ui/scroll-region.tsx';
import { MarkedText } from '@/app/_ui/words.tsx';
import { type Match, marksOf, marksWithin, type TextMark } from './text-matches.ts';
import { type Block, beginsLine, PIECE, segmentsOf, type TextRun } from './text-pieces.ts';

/** How a text is drawn. */
export interface TextLook {
  /** Prose has the interface's face and a width to read, all else the typewriter's. */
  readonly prose: boolean;
  readonly wrap: boolean;
  readonly signs: boolean;
  readonly lines: boolean;
}

/** A place that the view goes to whenever the object changes. */
export interface TextPlace {
  readonly piece: number;
  readonly at: number;
}

/** Frames in which a mark is awaited after its block was gone to. */
const FRAMES = 20;

/** A text of any length: only the lines on the screen are built. */
export function TextView(props: {
  readonly label: string;
  readonly blocks: readonly Block[];
  readonly matches: readonly Match[];
  /** Number of the match that the reader stands at. */
  readonly now: number;
  readonly place: TextPlace | null;
  readonly look: TextLook;
  /** Loads a piece that is not there yet. */
  readonly onGap: (piece: number) => void;
  readonly className?: string;
  readonly before?: ReactNode;
}) {
  const { label, blocks, matches, now, place, look, onGap, className } = props;
  const scroller = useRef<HTMLElement>(null);
  const height = look.prose ? 22 : 18;
  const virtual = useVirtualizer({
    count: blocks.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => heightOf(blocks[at], height),
    overscan: 2,
    paddingStart: 8,
    paddingEnd: 24,
  });
  useGoTo(place, blocks, scroller, (at) => virtual.scrollToIndex(at, { align: 'center' }));
  const marks = useMarks(blocks, matches, now);
  const items = virtual.getVirtualItems();
  return (
    <ScrollRegion ref={scroller} label={label} className={cx('overflow-auto', className)}>
      <div className="relative" style={{ height: virtual.getTotalSize() }}>
        <div
          className={cx(
            'absolute left-0 min-w-full',
            look.prose ? 'text-lg' : 'font-mono text-sm leading-[18px]',
            look.wrap ? 'w-full' : 'w-max',
          )}
          style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}
        >
          {items.map(({ index, key }) => {
            const block = blocks[index];
            return block === undefined ? null : (
              <div key={key} data-index={index} ref={virtual.measureElement}>
                {block.shape === 'gap' ? (
                  <Gap block={block} onGap={onGap} isEnd={index === blocks.length - 1} />
                ) : (
                  <Lines block={block} marks={marks.get(block.run) ?? NONE} look={look} />
                )}
              </div>
            );
          })}
        </div>
      </div>
    </ScrollRegion>
  );
}

const NONE: readonly TextMark[] = [];

function heightOf(block: Block | undefined, height: number): number {
  if (block === undefined || block.shape === 'gap') return 60;
  return block.rows * height;
}

function useMarks(blocks: readonly Block[], matches: readonly Match[], now: number) {
  return useMemo(() => {
    const marks = new Map<TextRun, readonly TextMark[]>();
    for (const block of blocks) {
      if (block.shape === 'lines' && !marks.has(block.run)) {
        marks.set(block.run, marksOf(block.run, matches, now));
      }
    }
    return marks;
  }, [blocks, matches, now]);
}

/** Goes to a place: to its block, and then to the mark in it. A place that is not loaded yet is gone to once it is. */
function useGoTo(
  place: TextPlace | null,
  blocks: readonly Block[],
  scroller: Ref<HTMLElement> & { readonly current: HTMLElement | null },
  scrollTo: (index: number) => void,
): void {
  const went = useRef<TextPlace | null>(null);
  const latest = useRef(scrollTo);
  useEffect(() => {
    latest.current = scrollTo;
  });
  useEffect(() => {
    if (place === null || went.current === place) return;
    const index = blocks.findIndex((block) => holds(block, place));
    if (index < 0) return;
    went.current = place;
    latest.current(index);
    let frame = 0;
    let left = FRAMES;
    const settle = () => {
      const mark = scroller.current?.querySelector('mark[data-now]');
      mark?.scrollIntoView({ block: 'center', inline: 'nearest' });
      left -= 1;
      // The rows around a mark are measured only once they are drawn: it is brought back until they stand.
      if (left > 0) frame = requestAnimationFrame(settle);
    };
    frame = requestAnimationFrame(settle);
    return () => cancelAnimationFrame(frame);
  }, [place, blocks, scroller]);
}

function holds(block: Block, place: TextPlace): boolean {
  if (block.shape === 'gap') return false;
  const start = block.run.starts[place.piece - block.run.first];
  return start !== undefined && start + place.at >= block.from && start + place.at < block.to;
}

const Lines = memo(function Lines(props: {
  readonly block: Extract<Block, { shape: 'lines' }>;
  readonly marks: readonly TextMark[];
  readonly look: TextLook;
}) {
  const { block, marks, look } = props;
  const { run } = block;
  const isPastLine = !beginsLine(run, block.from);
  let line = block.line === null ? null : block.line - (isPastLine ? 0 : 1);
  return [...segmentsOf(run.text, block.from, block.to, !isPastLine)].map((segment) => {
    if (segment.begins && line !== null) line += 1;
    const text = run.text.slice(segment.from, segment.to);
    return (
      <div
        key={segment.from}
        className={look.prose ? 'flex min-h-[22px] px-4' : 'flex min-h-[18px] pr-4 pl-4'}
      >
        {look.lines ? (
          <span
            className="w-[52px] shrink-0 pr-3 text-right max-sm:w-9 max-sm:pr-2 font-mono text-xs leading-[inherit] text-faint select-none"
            aria-hidden="true"
          >
            {segment.begins ? (line === null ? '·' : integer(line)) : '↳'}
          </span>
        ) : null}
        <span
          className={cx(
            'min-w-0',
            look.wrap ? 'wrap-text' : 'whitespace-pre [tab-size:4]',
            look.prose && look.wrap && 'max-w-[80ch]',
          )}
        >
          <MarkedText
            text={text.endsWith('\r') && !look.signs ? text.slice(0, -1) : text}
            marks={marksWithin(marks, segment.from, segment.to)}
            signs={look.signs}
          />
        </span>
      </div>
    );
  });
});

function Gap(props: {
  readonly block: Extract<Block, { shape: 'gap' }>;
  readonly onGap: (piece: number) => void;
  readonly isEnd: boolean;
}) {
  const { block, onGap, isEnd } = props;
  const count = block.last - block.first + 1;
  return (
    <div className="sticky left-0 my-2 flex w-fit max-w-full flex-wrap items-center gap-2 border-y border-line bg-surface px-4 py-2 font-sans text-base">
      <span className="text-soft">
        {count === 1 && isEnd ? 'The rest is' : `${integer(count * PIECE)} characters are`} not loaded.
      </span>
      <Button size="small" onClick={() => onGap(block.first)}>
        Read on
      </Button>
      {count > 1 ? (
        <Button size="small" onClick={() => onGap(block.last)}>
          Read what stands before the end
        </Button>
      ) : null}
    </div>
  );
}
