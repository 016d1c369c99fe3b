'use client';

import { useVirtualizer } from '@tanstack/react-virtual';
import { Fragment, memo, useMemo, useRef } from 'react';
import { byteRuns, lineStarts, strayBytes, tornBytes } from '@/app/_lib/exact-lines.ts';
import { integer } from '@/app/_lib/format.ts';
import { failureOf } from '@/app/_lib/trpc.tsx';
import { Button } from '@/app/_ui/button.tsx';
import { ScrollRegion } from '@/app/_ui/scroll-region.tsx';
import { ErrorState, Loading } from '@/app/_ui/states.tsx';
import { Sign } from '@/app/_ui/words.tsx';
import { type BytePart, CHUNK, useByteChunks } from './use-byte-chunks.ts';

/** A stretch of the view: lines of a run, or one row that stands for bytes that are not loaded. */
type Stretch =
  | {
      readonly shape: 'run';
      readonly base: number;
      readonly bytes: Uint8Array;
      readonly starts: readonly number[];
    }
  | Extract<BytePart, { shape: 'gap' }>;

/** The stored bytes of a document, line by line with their offsets, every character that cannot be seen as a sign. */
export function Exact({ docid, bytes }: { readonly docid: string; readonly bytes: number }) {
  const { parts, error, refetch, want } = useByteChunks(docid, bytes);
  const stretches = useMemo(() => parts.map((part) => stretchOf(part, bytes)), [parts, bytes]);
  if (error !== null) {
    return <ErrorState title="The bytes could not be read" failure={failureOf(error)} retry={refetch} />;
  }
  if (stretches.every((one) => one.shape === 'gap')) return <Loading what="the bytes" />;
  return (
    <>
      <p className="shrink-0 border-b border-line px-4 py-1 text-xs text-faint">
        {integer(bytes)} bytes. The first column is the offset of each line. Lines go on below after 120
        bytes.
      </p>
      <Lines stretches={stretches} want={want} />
    </>
  );
}

/** Characters that are cut in two by the edge of what is loaded are left to the neighbour that holds their beginning. */
function stretchOf(part: BytePart, total: number): Stretch {
  if (part.shape === 'gap') return part;
  const { base, bytes } = part.run;
  const from = base === 0 ? 0 : strayBytes(bytes);
  const to = base + bytes.length === total ? bytes.length : bytes.length - tornBytes(bytes);
  const own = bytes.subarray(from, to);
  return { shape: 'run', base: base + from, bytes: own, starts: lineStarts(own) };
}

function Lines(props: { readonly stretches: readonly Stretch[]; readonly want: (chunk: number) => void }) {
  const { stretches, want } = props;
  const scroller = useRef<HTMLElement>(null);
  const firsts = useMemo(() => {
    let sum = 0;
    return stretches.map((one) => {
      const first = sum;
      sum += one.shape === 'gap' ? 1 : one.starts.length - 1;
      return { first, end: sum };
    });
  }, [stretches]);
  const virtual = useVirtualizer({
    count: firsts.at(-1)?.end ?? 0,
    getScrollElement: () => scroller.current,
    estimateSize: (row) => (stretches[firsts.findIndex(({ end }) => row < end)]?.shape === 'gap' ? 44 : 18),
    overscan: 30,
  });
  return (
    <ScrollRegion
      ref={scroller}
      label="Exact bytes"
      className="min-h-0 flex-1 overflow-auto py-1 font-mono text-sm"
    >
      <div className="relative min-w-max" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const at = firsts.findIndex(({ end }) => index < end);
          const stretch = stretches[at];
          if (stretch === undefined) return null;
          const row = index - (firsts[at]?.first ?? 0);
          return (
            <div
              key={index}
              className="absolute left-0 flex pr-4 leading-[18px] whitespace-pre"
              style={{ transform: `translateY(${start}px)` }}
            >
              {stretch.shape === 'gap' ? (
                <Gap first={stretch.first} last={stretch.last} want={want} />
              ) : (
                <Line
                  offset={stretch.base + (stretch.starts[row] ?? 0)}
                  bytes={stretch.bytes}
                  from={stretch.starts[row] ?? 0}
                  to={stretch.starts[row + 1] ?? 0}
                />
              )}
            </div>
          );
        })}
      </div>
    </ScrollRegion>
  );
}

const Line = memo(function Line(props: {
  readonly offset: number;
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
}) {
  const { offset, bytes, from, to } = props;
  return (
    <>
      <span className="w-[88px] shrink-0 pr-3 text-right text-faint select-none">{offset}</span>
      <span>
        {byteRuns(bytes.subarray(from, to)).map((run, at) => {
          const key = `${at}`;
          return run.stands === null ? (
            <Fragment key={key}>{run.text}</Fragment>
          ) : (
            <Sign key={key} run={run} />
          );
        })}
      </span>
    </>
  );
});

function Gap(props: {
  readonly first: number;
  readonly last: number;
  readonly want: (chunk: number) => void;
}) {
  const { first, last, want } = props;
  return (
    <span className="flex h-11 items-center gap-2 pl-4 font-sans text-base">
      <span className="text-soft">{integer((last - first + 1) * CHUNK)} bytes are not loaded.</span>
      <Button size="small" onClick={() => want(first)}>
        Read on
      </Button>
      {last > first ? (
        <Button size="small" onClick={() => want(last)}>
          Read what stands before the end
        </Button>
      ) : null}
    </span>
  );
}
