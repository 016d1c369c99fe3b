'use client';

import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { dayOf } from '@/app/_lib/format.ts';
import { useTRPC } from '@/app/_lib/trpc.tsx';
import type { WireLogRow } from '@/server/api/index.ts';
import { type Part, partsOf } from './parts.ts';

/** Log positions that are asked for at once. */
const PAGE = 200;
/** Characters of each body that a transcript carries; the rest is one click away. */
const CLIP = 4000;

/** A session's log, of which only what is looked at is loaded. Positions have no gaps, so each has its place from the start. */
export interface Log {
  readonly first: number;
  readonly count: number;
  readonly parts: ReadonlyMap<number, Part>;
  readonly pending: boolean;
  readonly error: unknown;
  /** Says which positions are on the screen, so that they get loaded. */
  readonly look: (from: number, to: number) => void;
  readonly retry: () => void;
}

/** Loads the parts of a log that are looked at, and keeps up with its growth. */
export function useLog(sessionId: string): Log {
  const trpc = useTRPC();
  const ends = useQuery(trpc.sessions.log.queryOptions({ id: sessionId, limit: 1, clip: 0 }));
  const newest = ends.data?.rows[0]?.seq ?? 0;
  const count = ends.data?.matched ?? 0;
  const first = newest - count + 1;
  const [seen, setSeen] = useState({ from: 0, to: 0 });

  const wanted = useMemo(() => {
    if (count === 0) return [];
    const pageOf = (seq: number) => Math.floor((Math.min(newest, Math.max(first, seq)) - first) / PAGE);
    const from = Math.max(0, pageOf(seen.from - 40));
    const to = pageOf(seen.to + 40);
    return Array.from({ length: to - from + 1 }, (_, at) => from + at);
  }, [count, first, newest, seen]);

  const pages = useQueries({
    queries: wanted.map((page) =>
      trpc.sessions.log.queryOptions(
        {
          id: sessionId,
          after: first + page * PAGE - 1,
          before: first + (page + 1) * PAGE,
          limit: PAGE,
          clip: CLIP,
        },
        { staleTime: Number.POSITIVE_INFINITY },
      ),
    ),
    combine: (results) => ({
      rows: results.flatMap((result) => result.data?.rows ?? []),
      error: results.find((result) => result.isError)?.error ?? null,
      refetch: () => results.forEach((result) => void result.refetch()),
    }),
  });

  const parts = useMemo(
    () => partsOf(new Map(pages.rows.map((row: WireLogRow) => [row.seq, row])), dayOf),
    [pages.rows],
  );
  const look = useMemo(
    () => (from: number, to: number) =>
      setSeen((old) => (old.from === from && old.to === to ? old : { from, to })),
    [],
  );
  return {
    first,
    count,
    parts,
    pending: ends.isPending,
    error: ends.error ?? pages.error,
    look,
    retry: () => {
      void ends.refetch();
      pages.refetch();
    },
  };
}
