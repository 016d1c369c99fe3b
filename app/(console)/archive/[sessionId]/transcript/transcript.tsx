'use client';

import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { integer } from '@/app/_lib/format.ts';
import { useKeys } from '@/app/_lib/keys.tsx';
import { failureOf } from '@/app/_lib/trpc.tsx';
import { Button } from '@/app/_ui/button.tsx';
import { ScrollRegion } from '@/app/_ui/scroll-region.tsx';
import { EmptyState, ErrorState, Loading } from '@/app/_ui/states.tsx';
import type { WireLogRow } from '@/server/api/index.ts';
import { systemClock } from '@/server/kernel/clock.ts';
import { GoToDialog } from './go-to.tsx';
import { isFolded, type Part } from './parts.ts';
import { TranscriptRow } from './row.tsx';
import type { RowActs } from './row-pieces.tsx';
import { type Align, useGoTo } from './use-go-to.ts';
import { type Log, useLog } from './use-log.ts';

interface TranscriptProps {
  readonly sessionId: string;
  /** The position that has the keyboard; 0: none yet. */
  readonly at: number;
  /** The reader chose a part. */
  readonly onSelect: (seq: number) => void;
  /** A part that was gone to is on the screen now; a position inside a result arrives at its call. */
  readonly onArrive: (seq: number) => void;
  readonly find: string;
  /** The position that the search stands at; null: at none. */
  readonly hit: number | null;
  readonly onHop: (step: 1 | -1) => void;
  readonly onDocument: (row: WireLogRow) => void;
}

/** A session as a person reads it. Only what is on the screen is loaded and built. */
export function Transcript(props: TranscriptProps) {
  const log = useLog(props.sessionId);
  if (log.error !== null && log.count === 0) {
    return (
      <ErrorState title="The transcript could not be read" failure={failureOf(log.error)} retry={log.retry} />
    );
  }
  if (log.pending) return <Loading what="the transcript" />;
  if (log.count === 0) {
    return (
      <EmptyState title="Nothing was said yet">
        <p>
          The session has been opened, and no message of it has been archived so far. It appears here by
          itself.
        </p>
      </EmptyState>
    );
  }
  return <Reader {...props} log={log} />;
}

function Reader(props: TranscriptProps & { readonly log: Log }) {
  const { log, at, find, onSelect, onDocument } = props;
  const scroller = useRef<HTMLElement>(null);
  const { open, toggle } = useFolds();
  const hitAt = props.hit === null ? null : shownSeq(log.parts, props.hit);
  // The same function at every render: with a new one, all places are measured anew.
  const getItemKey = useCallback((index: number) => log.first + index, [log.first]);
  const virtual = useVirtualizer({
    count: log.count,
    getScrollElement: () => scroller.current,
    estimateSize: () => 30,
    overscan: 20,
    getItemKey,
    paddingStart: 8,
    paddingEnd: 48,
  });
  const items = virtual.getVirtualItems();
  const from = log.first + (items[0]?.index ?? 0);
  const to = log.first + (items.at(-1)?.index ?? 0);
  useEffect(() => log.look(from, to), [from, to, log.look]);

  const { goTo, cursor } = useGoTo({
    log,
    scroller,
    scrollTo: (index, align) => virtual.scrollToIndex(index, { align }),
    at,
    onArrive: props.onArrive,
  });
  useTranscriptKeys({ ...props, open, toggle, goTo, cursor });

  const acts: RowActs = useMemo(
    () => ({ toggle, openDocument: onDocument, select: onSelect }),
    [toggle, onDocument, onSelect],
  );
  return (
    <ScrollRegion
      ref={scroller}
      label="Transcript"
      className="relative min-h-0 flex-1 overflow-auto [overflow-anchor:none]"
    >
      <div className="relative max-w-[940px]" style={{ height: virtual.getTotalSize() }}>
        <div
          className="absolute inset-x-0 px-1"
          style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}
        >
          {items.map(({ index, key }) => {
            const seq = log.first + index;
            const part = log.parts.get(seq);
            return (
              <div key={key} data-index={index} ref={virtual.measureElement}>
                {part === undefined ? (
                  <div className="h-[30px]" />
                ) : part.shape === 'row' ? (
                  <TranscriptRow
                    part={part}
                    acts={acts}
                    state={stateOf(part.row, { open, at, find, hitAt })}
                  />
                ) : null}
              </div>
            );
          })}
        </div>
      </div>
      <Position log={log} sessionId={props.sessionId} seen={{ from, to }} current={at} goTo={goTo} />
    </ScrollRegion>
  );
}

/** Sessions of so many positions tell where the reader is, and take him anywhere. */
const LONG = 100;

/** Where the reader is in a long transcript, and the ways to other places. */
function Position(props: {
  readonly log: Log;
  readonly sessionId: string;
  readonly seen: { readonly from: number; readonly to: number };
  readonly current: number;
  readonly goTo: (seq: number) => void;
}) {
  const { log, sessionId, seen, current, goTo } = props;
  const [open, setOpen] = useState(false);
  const last = log.first + log.count - 1;
  const isLong = log.count > LONG;
  useKeys([
    [
      ':',
      (event) => {
        event.preventDefault();
        setOpen(true);
      },
    ],
  ]);
  const middle = Math.min(last, Math.max(log.first, Math.round((seen.from + seen.to) / 2)));
  const here = current >= seen.from && current <= seen.to ? current : middle;
  const part = log.parts.get(here) ?? log.parts.get(seen.from);
  const day = part?.shape === 'row' ? Date.parse(part.row.at) : systemClock.now();
  return (
    <>
      <div className="pointer-events-none sticky bottom-3 flex justify-end gap-1.5 pr-4">
        {isLong ? (
          <Button
            size="small"
            className="pointer-events-auto shadow-float"
            aria-label={`Go to a position or a time; at ${integer(here)} of ${integer(last)}`}
            title="Go to a position or a time (:)"
            onClick={() => setOpen(true)}
          >
            {integer(here)} of {integer(last)}
          </Button>
        ) : null}
        {seen.to < last ? (
          <Button size="small" className="pointer-events-auto shadow-float" onClick={() => goTo(last)}>
            To the newest
          </Button>
        ) : null}
      </div>
      <GoToDialog
        open={open}
        onOpenChange={setOpen}
        sessionId={sessionId}
        first={log.first}
        last={last}
        day={day}
        goTo={goTo}
      />
    </>
  );
}

function stateOf(
  row: WireLogRow,
  { open, at, find, hitAt }: { open: ReadonlySet<number>; at: number; find: string; hitAt: number | null },
) {
  const hit = hitAt === row.seq;
  return { open: open.has(row.seq) || (hit && isFolded(row.kind)), current: at === row.seq, find, hit };
}

/** What is unfolded. It lives above the rows, because a row that leaves the screen is taken apart. */
function useFolds() {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const toggle = useCallback((seq: number) => {
    setOpen((old) => {
      const next = new Set(old);
      if (!next.delete(seq)) next.add(seq);
      return next;
    });
  }, []);
  return { open, toggle };
}

/** Where a position is shown: a result stands inside its call. */
function shownSeq(parts: ReadonlyMap<number, Part>, seq: number): number {
  const part = parts.get(seq);
  return part?.shape === 'inside' ? part.callSeq : seq;
}

/** The keys of a transcript: walk, fold, open, hits, ends. */
function useTranscriptKeys(
  props: TranscriptProps & {
    readonly log: Log;
    readonly open: ReadonlySet<number>;
    readonly toggle: (seq: number) => void;
    readonly goTo: (seq: number, align?: Align) => void;
    readonly cursor: RefObject<number>;
  },
): void {
  const { log, goTo, cursor } = props;
  const last = log.first + log.count - 1;
  const walk = (step: 1 | -1) => {
    const at = cursor.current;
    let seq = at === 0 ? (step === 1 ? log.first : last) : at + step;
    while (log.parts.get(seq)?.shape === 'inside') seq += step;
    if (seq >= log.first && seq <= last) goTo(seq, 'auto');
  };
  const current = () => {
    const part = log.parts.get(cursor.current);
    return part?.shape === 'row' ? part.row : null;
  };
  useKeys([
    ['j', () => walk(1)],
    ['k', () => walk(-1)],
    ['n', () => props.onHop(1)],
    ['N', () => props.onHop(-1)],
    ['Home', () => goTo(log.first)],
    ['End', () => goTo(last)],
    [
      ' ',
      (event) => {
        const row = current();
        if (row === null || !isFolded(row.kind)) return;
        event.preventDefault();
        props.toggle(row.seq);
      },
    ],
    [
      'Enter',
      () => {
        const row = current();
        if (row !== null && row.docid !== null) props.onDocument(row);
      },
    ],
  ]);
}
