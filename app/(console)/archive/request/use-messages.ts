'use client';

import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTRPC } from '@/app/_lib/trpc.tsx';
import type { WireViewMessage } from '@/server/api/index.ts';

/** Messages in one question. */
const PAGE = 100;

/** The messages of a request that are on the screen, by their place in the conversation. */
export interface Messages {
  at(place: number): WireViewMessage | undefined;
  /** The first failure; null: none. */
  readonly error: unknown;
  readonly retry: () => void;
}

/** Loads the pages in which the given messages stand. They never change: what a client has sent stays sent. */
export function useMessages(id: string, places: readonly number[]): Messages {
  const trpc = useTRPC();
  const pages = [...new Set(places.map((place) => Math.floor(place / PAGE)))];
  const queries = useQueries({
    queries: pages.map((page) =>
      trpc.views.messages.queryOptions(
        { id, from: page * PAGE, limit: PAGE },
        { staleTime: Number.POSITIVE_INFINITY },
      ),
    ),
  });
  const stamp = queries.map(({ dataUpdatedAt }) => dataUpdatedAt).join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the stamp tells when any of the pages has changed.
  const found = useMemo(
    () => new Map(queries.flatMap(({ data }) => data?.items.map((one) => [one.at, one] as const) ?? [])),
    [stamp, pages.join(' ')],
  );
  return {
    at: (place) => found.get(place),
    error: queries.find(({ error }) => error !== null)?.error ?? null,
    retry: () => {
      for (const query of queries) if (query.isError) void query.refetch();
    },
  };
}
