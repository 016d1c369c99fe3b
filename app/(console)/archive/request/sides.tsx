'use client';

import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useMemo, useRef } from 'react';
import { useKeys, walkRows } from '@/app/_lib/keys.tsx';
import { failureOf } from '@/app/_lib/trpc.tsx';
import { Button } from '@/app/_ui/button.tsx';
import { ScrollRegion } from '@/app/_ui/scroll-region.tsx';
import type { WireViews } from '@/server/api/index.ts';
import { FrameLine, MessageLine, PartLine } from './cells.tsx';
import { type Line, lineKey, linesOf } from './lines.ts';
import { OursText } from './ours-text.tsx';
import { useMessages } from './use-messages.ts';

/** Height of a closed line in pixels, before it is measured. */
const LINE = 30;

/** Both sides of a request in two columns that scroll together. Only what is on the screen is loaded and built. */
export function Sides(props: {
  readonly views: WireViews;
  /** Numbers of the open parts. */
  readonly open: readonly number[];
  readonly onOpen: (open: readonly number[]) => void;
  readonly onDocument: (docid: string) => void;
}) {
  const { views, open, onOpen, onDocument } = props;
  const scroller = useRef<HTMLElement>(null);
  const lines = useMemo(() => linesOf(views.parts, new Set(open)), [views.parts, open]);
  const getItemKey = useCallback((index: number) => lineKey(lines[index]), [lines]);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE,
    overscan: 20,
    getItemKey,
    paddingEnd: 32,
  });
  const items = virtual.getVirtualItems();
  const wanted = items.flatMap(({ index }) => {
    const line = lines[index];
    return line?.is === 'message' ? [line.message] : [];
  });
  const messages = useMessages(views.id, wanted);
  useKeys([
    ['j', () => walkRows(1)],
    ['k', () => walkRows(-1)],
    ['Home', () => virtual.scrollToIndex(0)],
    ['End', () => virtual.scrollToIndex(lines.length - 1)],
  ]);
  const toggle = (number: number) =>
    onOpen(open.includes(number) ? open.filter((one) => one !== number) : [...open, number]);

  const show = (line: Line) => {
    if (line.is === 'frame') return <FrameLine />;
    if (line.is === 'text') return <OursText views={views} part={line.part} />;
    if (line.is === 'part')
      return <PartLine part={line.part} open={line.open} onToggle={() => toggle(line.number)} />;
    return (
      <MessageLine
        message={messages.at(line.message)}
        place={line.message}
        side={line.side}
        onDocument={onDocument}
      />
    );
  };
  return (
    <>
      {messages.error === null ? null : (
        <p role="alert" className="flex items-center gap-3 bg-bad-soft px-4 py-1 text-bad">
          Some messages could not be read: {failureOf(messages.error).message}
          <Button size="small" onClick={messages.retry}>
            Try again
          </Button>
        </p>
      )}
      <div
        aria-hidden="true"
        className="grid shrink-0 grid-cols-2 border-b border-line text-sm text-faint max-md:hidden"
      >
        <span className="px-4 py-1">The agent sent</span>
        <span className="border-l border-line px-4 py-1">The model saw</span>
      </div>
      <ScrollRegion
        ref={scroller}
        label="Both sides"
        className="min-h-0 flex-1 overflow-auto [overflow-anchor:none]"
      >
        <ol style={{ height: virtual.getTotalSize(), paddingTop: items[0]?.start ?? 0 }}>
          {items.map(({ index, key }) => {
            const line = lines[index];
            return line === undefined ? null : (
              <li
                key={key}
                data-index={index}
                aria-setsize={lines.length}
                aria-posinset={index + 1}
                ref={virtual.measureElement}
              >
                {show(line)}
              </li>
            );
          })}
        </ol>
      </ScrollRegion>
    </>
  );
}
