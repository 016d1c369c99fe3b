'use client';

import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useTRPC, useTRPCClient } from '@/app/_lib/trpc.tsx';
import type { WireSession } from '@/server/api/index.ts';
import { joinSessions } from './join-sessions.ts';

/** Sessions that are asked for at once. */
const PAGE = 100;

/** What sessions are narrowed by, as the API takes it. */
export type SessionFilter = {
  readonly agent?: WireSession['agent'];
  readonly project?: string;
  readonly q?: string;
  readonly from?: string;
  readonly to?: string;
};

/**
 * Sessions, last seen first. The newest page is kept up with; older ones are loaded as they are walked to and stay as
 * they are, so that news costs one page however many are loaded. A session that changes moves into the newest page.
 * @param filter null: not known yet
 */
export function useSessions(filter: SessionFilter | null) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const input = useMemo(() => ({ limit: PAGE, ...filter }), [filter]);
  const head = useQuery(
    trpc.sessions.list.queryOptions(input, { placeholderData: keepPreviousData, enabled: filter !== null }),
  );
  const next = head.isPlaceholderData ? null : (head.data?.next ?? null);
  const key = JSON.stringify(input);
  // Where the older pages begin: the end of the newest page at the time when they were first asked for.
  const [begun, setBegun] = useState<{ readonly key: string; readonly anchor: string } | null>(null);
  const anchor = begun?.key === key ? begun.anchor : null;
  const rest = useInfiniteQuery({
    queryKey: [['sessions', 'older'], { input, anchor }],
    queryFn: ({ pageParam }) => client.sessions.list.query({ ...input, cursor: pageParam }),
    initialPageParam: anchor,
    getNextPageParam: (page) => page.next,
    enabled: anchor !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  // What news has pushed out of the newest page stands between it and the older ones.
  const bridge = useQuery(
    trpc.sessions.list.queryOptions(
      { ...input, cursor: next },
      { enabled: anchor !== null && next !== null && next !== anchor },
    ),
  );
  const { rows, joins } = useMemo(
    () =>
      joinSessions(
        head.data?.items ?? [],
        anchor === null || next === anchor ? null : (bridge.data ?? null),
        rest.data?.pages.flatMap((page) => page.items) ?? [],
      ),
    [head.data, bridge.data, rest.data, next, anchor],
  );
  useEffect(() => {
    if (!joins && next !== null) setBegun({ key, anchor: next });
  }, [joins, next, key]);

  const { fetchNextPage, hasNextPage, isFetching } = rest;
  const more = useCallback(() => {
    if (anchor === null) {
      if (next !== null) setBegun({ key, anchor: next });
    } else if (hasNextPage && !isFetching) void fetchNextPage();
  }, [anchor, next, key, hasNextPage, isFetching, fetchNextPage]);
  return { head, rows, more, isFetchingMore: isFetching, moreError: rest.error };
}
