'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useSettled } from '@/app/_lib/settled.ts';
import { useTRPC } from '@/app/_lib/trpc.tsx';

/** Rows that are walked at most; with more, the first ones. */
const MOST = 10_000;
/** Milliseconds that the words must rest before they are looked for. */
const REST_MS = 150;

/** Where words stand in a session's log. */
export interface Hits {
  /** Log positions, ascending. */
  readonly seqs: readonly number[];
  /** Rows with a hit in the whole log; more than `seqs` holds only beyond {@link MOST}. */
  readonly total: number;
  /** How often the words stand in them. */
  readonly times: number;
  readonly pending: boolean;
}

/** Hits, the one that the search stands at, and the way between them. */
export interface HitWalk extends Hits {
  /** Position of the hit that was gone to last; null after the reader went elsewhere. */
  readonly hit: number | null;
  /** Goes to the next hit (or the one before); at an end it goes round. */
  readonly hop: (step: 1 | -1) => void;
  /** The reader chose another part: the walk begins anew from there. */
  readonly select: (seq: number) => void;
  /** The transcript has come to a part on behalf of the walk: a hit inside a result is shown at its call. */
  readonly arrive: (seq: number) => void;
}

/** Looks for `words` in a session and walks its hits. `onAt` is told where the transcript must go. */
export function useHitWalk(
  sessionId: string,
  words: string,
  at: number,
  onAt: (seq: number) => void,
): HitWalk {
  const hits = useHits(sessionId, words);
  const [hit, setHit] = useState<number | null>(null);
  const latest = useRef({ at, onAt });
  useEffect(() => {
    latest.current = { at, onAt };
  });
  const arrive = useCallback((seq: number) => {
    if (latest.current.at === seq) return;
    latest.current = { ...latest.current, at: seq };
    latest.current.onAt(seq);
  }, []);
  const select = useCallback(
    (seq: number) => {
      if (latest.current.at === seq) return;
      setHit(null);
      arrive(seq);
    },
    [arrive],
  );
  const goTo = useCallback(
    (seq: number | null) => {
      if (seq === null) return;
      setHit(seq);
      arrive(seq);
    },
    [arrive],
  );
  const { seqs } = hits;
  const hop = useCallback(
    (step: 1 | -1) => goTo(nextHit(seqs, hit ?? latest.current.at, step)),
    [goTo, seqs, hit],
  );

  const went = useRef(words);
  useEffect(() => {
    if (hits.pending || went.current === words) return;
    went.current = words;
    setHit(null);
    goTo(seqs[0] ?? null);
  }, [hits.pending, seqs, words, goTo]);
  return { ...hits, hit, hop, select, arrive };
}

function useHits(sessionId: string, words: string): Hits {
  const trpc = useTRPC();
  const q = useSettled(words, REST_MS);
  const active = words.trim() !== '';
  const found = useQuery(
    trpc.sessions.matches.queryOptions(
      { id: sessionId, q, limit: MOST },
      { enabled: q.trim() !== '', placeholderData: keepPreviousData },
    ),
  );
  const seqs = useMemo(
    () => (active ? (found.data?.items.map((one) => one.seq) ?? []) : []),
    [active, found.data],
  );
  return {
    seqs,
    total: active ? (found.data?.matched ?? 0) : 0,
    times: active ? (found.data?.total ?? 0) : 0,
    pending: active && (q !== words || found.isPending || found.isPlaceholderData),
  };
}

/** The hit after (or before) a position; at an end it goes round. Null: there is none. */
export function nextHit(seqs: readonly number[], at: number, step: 1 | -1): number | null {
  if (seqs.length === 0) return null;
  if (step === 1) return seqs.find((seq) => seq > at) ?? seqs[0] ?? null;
  return seqs.findLast((seq) => seq < at) ?? seqs.at(-1) ?? null;
}
