'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { useTRPC } from '@/app/_lib/trpc.tsx';
import { likeOf } from './parts.ts';

/** Hits that are walked at most; with more, the newest. */
const MOST = 5000;

/** Where words stand in a session's log. */
export interface Hits {
  /** Log positions, ascending. */
  readonly seqs: readonly number[];
  /** Hits in the whole log; more than `seqs` holds only beyond {@link MOST}. */
  readonly total: number;
  readonly pending: boolean;
}

/** Looks for `words` in a session; goes to the first hit once they are found. */
export function useHits(sessionId: string, words: string, goTo: (seq: number) => void): Hits {
  const trpc = useTRPC();
  const active = words.trim() !== '';
  const found = useQuery(
    trpc.sessions.log.queryOptions(
      { id: sessionId, match: likeOf(words), limit: MOST, clip: 0 },
      { enabled: active, placeholderData: keepPreviousData },
    ),
  );
  const seqs = useMemo(
    () => (active ? (found.data?.rows.map((row) => row.seq) ?? []) : []),
    [active, found.data],
  );
  const went = useRef(words);
  useEffect(() => {
    if (found.isPlaceholderData || found.data === undefined || went.current === words) return;
    went.current = words;
    const first = seqs[0];
    if (first !== undefined) goTo(first);
  }, [found.isPlaceholderData, found.data, seqs, words, goTo]);
  return {
    seqs,
    total: active ? (found.data?.matched ?? 0) : 0,
    pending: active && (found.isPending || found.isPlaceholderData),
  };
}

/** The hit after (or before) a position; at an end it goes round. Null: there is none. */
export function nextHit(seqs: readonly number[], at: number, step: 1 | -1): number | null {
  if (seqs.length === 0) return null;
  if (step === 1) return seqs.find((seq) => seq > at) ?? seqs[0] ?? null;
  return seqs.findLast((seq) => seq < at) ?? seqs.at(-1) ?? null;
}
