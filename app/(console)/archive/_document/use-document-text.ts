'use client';

import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { useTRPC } from '@/app/_lib/trpc.tsx';
import type { WireDocument } from '@/server/api/index.ts';
import { PIECE, pieceCount, WHOLE_BYTES } from './text-pieces.ts';

/** A document's text, of which all or parts are loaded. */
export interface DocumentText {
  readonly pieces: ReadonlyMap<number, string>;
  /** Pieces that the whole text has. */
  readonly count: number;
  /** True if every piece is loaded. */
  readonly whole: boolean;
  /** What a piece failed with; null: none did. */
  readonly error: unknown;
  /** Has a piece loaded and kept on the screen. */
  readonly want: (piece: number) => void;
  /** A piece's text, without keeping it on the screen. */
  readonly fetch: (piece: number) => Promise<string>;
}

/**
 * Loads a document's text: whole up to 2 MB; of a longer one the first and the last piece, the one in which `offset`
 * lies, and what is wanted.
 * @param first the document with its first {@link PIECE} characters
 */
export function useDocumentText(first: WireDocument, offset: number | null): DocumentText {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const { docid } = first;
  const count = pieceCount(first.length);
  const [extra, setExtra] = useState<ReadonlySet<number>>(new Set());
  const numbers = useMemo(() => {
    if (first.bytes <= WHOLE_BYTES) return Array.from({ length: count - 1 }, (_, at) => at + 1);
    const at = offset === null ? 0 : Math.floor(offset / PIECE);
    const wanted = [...new Set([count - 1, at, ...extra])].filter((piece) => piece > 0 && piece < count);
    return wanted.sort((a, b) => a - b);
  }, [first.bytes, count, offset, extra]);

  const optionsOf = useCallback(
    (piece: number) =>
      trpc.documents.get.queryOptions(
        { docid, offset: piece * PIECE, length: PIECE },
        { staleTime: Number.POSITIVE_INFINITY, gcTime: 60_000 },
      ),
    [trpc, docid],
  );
  const { texts, error } = useQueries({
    queries: numbers.map(optionsOf),
    combine: (results) => ({
      texts: results.map((result) => result.data?.text),
      error: results.find((result) => result.isError)?.error ?? null,
    }),
  });
  const pieces = useMemo(() => {
    const known = new Map([[0, first.text]]);
    for (const [at, number] of numbers.entries()) {
      const text = texts[at];
      if (text !== undefined) known.set(number, text);
    }
    return known;
  }, [first.text, numbers, texts]);
  const want = useCallback(
    (piece: number) => setExtra((old) => (old.has(piece) ? old : new Set([...old, piece]))),
    [],
  );
  const fetch = useCallback(
    async (piece: number) => (piece === 0 ? first.text : (await queries.fetchQuery(optionsOf(piece))).text),
    [first.text, queries, optionsOf],
  );
  return { pieces, count, whole: pieces.size === count, error, want, fetch };
}
