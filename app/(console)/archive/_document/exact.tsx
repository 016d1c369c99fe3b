'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Fragment, useEffect, useMemo, useRef } from 'react';
import { exactLines } from '@/app/_lib/exact-lines.ts';
import { integer } from '@/app/_lib/format.ts';
import { failureOf, useTRPCClient } from '@/app/_lib/trpc.tsx';
import { ScrollRegion } from '@/app/_ui/scroll-region.tsx';
import { ErrorState, Loading } from '@/app/_ui/states.tsx';
import { Sign } from '@/app/_ui/words.tsx';

/** Bytes that are fetched at once. */
const CHUNK = 262_144;

/** The stored bytes of a document, line by line with their offsets, every character that cannot be seen as a sign. */
export function Exact({ docid }: { readonly docid: string }) {
  const client = useTRPCClient();
  const chunks = useInfiniteQuery({
    queryKey: ['exact', docid],
    queryFn: ({ pageParam }) => client.documents.bytes.query({ docid, offset: pageParam, length: CHUNK }),
    initialPageParam: 0,
    getNextPageParam: (chunk) => {
      const next = chunk.offset + CHUNK;
      return next < chunk.total ? next : undefined;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  const bytes = useMemo(() => joined(chunks.data?.pages.map((chunk) => chunk.base64) ?? []), [chunks.data]);
  const lines = useMemo(() => exactLines(bytes), [bytes]);
  const scroller = useRef<HTMLElement>(null);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 18,
    overscan: 30,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = chunks;
  useEffect(() => {
    if (last >= lines.length - 60 && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [last, lines.length, hasNextPage, isFetchingNextPage, fetchNextPage]);

  if (chunks.isError) {
    return (
      <ErrorState
        title="The bytes could not be read"
        failure={failureOf(chunks.error)}
        retry={() => void chunks.refetch()}
      />
    );
  }
  if (chunks.isPending) return <Loading what="the bytes" />;
  const total = chunks.data.pages[0]?.total ?? 0;
  return (
    <>
      <p className="border-b border-line px-4 py-1 text-xs text-faint">
        {integer(total)} bytes. The first column is the offset of each line. Lines go on below after 120
        bytes.
      </p>
      <ScrollRegion
        ref={scroller}
        label="Exact bytes"
        className="min-h-0 flex-1 overflow-auto py-1 font-mono text-sm"
      >
        <div className="relative min-w-max" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const line = lines[index];
            if (line === undefined) return null;
            return (
              <div
                key={index}
                className="absolute left-0 flex h-[18px] pr-4 leading-[18px] whitespace-pre"
                style={{ transform: `translateY(${start}px)` }}
              >
                <span className="w-[88px] shrink-0 pr-3 text-right text-faint select-none">
                  {line.offset}
                </span>
                <span>
                  {line.runs.map((run, at) => {
                    const key = `${at}`;
                    return run.stands === null ? (
                      <Fragment key={key}>{run.text}</Fragment>
                    ) : (
                      <Sign key={key} run={run} />
                    );
                  })}
                </span>
              </div>
            );
          })}
        </div>
      </ScrollRegion>
    </>
  );
}

function joined(parts: readonly string[]): Uint8Array {
  const texts = parts.map((part) => atob(part));
  const bytes = new Uint8Array(texts.reduce((sum, text) => sum + text.length, 0));
  let at = 0;
  for (const text of texts) {
    for (let index = 0; index < text.length; index += 1) bytes[at + index] = text.charCodeAt(index);
    at += text.length;
  }
  return bytes;
}
