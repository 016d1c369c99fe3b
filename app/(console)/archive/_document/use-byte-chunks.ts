'use client';

import { useQueries } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { useTRPCClient } from '@/app/_lib/trpc.tsx';
import { WHOLE_BYTES } from './text-pieces.ts';

/** Bytes that are fetched at once. */
export const CHUNK = 262_144;

/** Chunks of bytes that follow each other without a gap. */
export interface ByteRun {
  /** Offset of its first byte in the document. */
  readonly base: number;
  readonly bytes: Uint8Array;
}

/** A part of a document's bytes in order: loaded, or not (numbers of chunks). */
export type BytePart =
  | { readonly shape: 'run'; readonly run: ByteRun }
  | { readonly shape: 'gap'; readonly first: number; readonly last: number };

/** Loads a document's bytes: whole up to 2 MB, else the first chunk, the last one, and those that are wanted. */
export function useByteChunks(docid: string, total: number) {
  const client = useTRPCClient();
  const count = Math.max(1, Math.ceil(total / CHUNK));
  const [extra, setExtra] = useState<ReadonlySet<number>>(new Set());
  const numbers = useMemo(() => {
    if (total <= WHOLE_BYTES) return Array.from({ length: count }, (_, at) => at);
    return [...new Set([0, count - 1, ...extra])].sort((a, b) => a - b);
  }, [total, count, extra]);
  const { chunks, error, refetch } = useQueries({
    queries: numbers.map((number) => ({
      queryKey: ['exact', docid, number],
      queryFn: async () =>
        bytesOf(
          (await client.documents.bytes.query({ docid, offset: number * CHUNK, length: CHUNK })).base64,
        ),
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 60_000,
      structuralSharing: false,
    })),
    combine: (results) => ({
      chunks: results.map((result) => result.data),
      error: results.find((result) => result.isError)?.error ?? null,
      refetch: () => results.forEach((result) => void result.refetch()),
    }),
  });
  const parts = useMemo(() => partsOf(numbers, chunks, count), [numbers, chunks, count]);
  const want = useCallback((number: number) => setExtra((old) => new Set([...old, number])), []);
  return { parts, error, refetch, want };
}

function partsOf(
  numbers: readonly number[],
  chunks: readonly (Uint8Array | undefined)[],
  count: number,
): readonly BytePart[] {
  const parts: BytePart[] = [];
  let next = 0;
  let gathered: Uint8Array[] = [];
  let first = 0;
  const close = () => {
    if (gathered.length > 0) {
      parts.push({ shape: 'run', run: { base: first * CHUNK, bytes: joined(gathered) } });
    }
    gathered = [];
  };
  for (const [at, number] of numbers.entries()) {
    const chunk = chunks[at];
    if (chunk === undefined) continue;
    if (number > next) {
      close();
      parts.push({ shape: 'gap', first: next, last: number - 1 });
    }
    if (gathered.length === 0) first = number;
    gathered.push(chunk);
    next = number + 1;
  }
  close();
  if (next < count) parts.push({ shape: 'gap', first: next, last: count - 1 });
  return parts;
}

function bytesOf(base64: string): Uint8Array {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
