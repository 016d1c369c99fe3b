'use client';

import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useCallback, useMemo } from 'react';
import { useKeys, walkRows } from '@/app/_lib/keys.tsx';
import { failureOf, useTRPC } from '@/app/_lib/trpc.tsx';
import { Badge } from '@/app/_ui/badge.tsx';
import { Num } from '@/app/_ui/number.tsx';
import { EmptyState, ErrorState, Loading } from '@/app/_ui/states.tsx';
import { type Column, DataTable } from '@/app/_ui/table.tsx';
import { Time } from '@/app/_ui/time.tsx';
import type { WireRequest } from '@/server/api/index.ts';
import { inputTokens, KIND_WORDS, outcomeOf, outputTokens } from './words.ts';

/** Every request of a session, newest first; one opens at the right. */
export function RequestTable({
  sessionId,
  selected,
}: {
  readonly sessionId: string;
  readonly selected: string | null;
}) {
  const trpc = useTRPC();
  const list = useInfiniteQuery(
    trpc.requests.list.infiniteQueryOptions(
      { session: sessionId, limit: 100 },
      { getNextPageParam: (page) => page.next, placeholderData: keepPreviousData },
    ),
  );
  useKeys([
    ['j', () => walkRows(1)],
    ['k', () => walkRows(-1)],
  ]);
  const rows = useMemo(() => list.data?.pages.flatMap((page) => page.items) ?? [], [list.data]);
  const columns = useMemo(() => columnsOf(sessionId), [sessionId]);
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = list;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  if (list.isError) {
    return (
      <ErrorState
        title="The requests could not be read"
        failure={failureOf(list.error)}
        retry={() => void list.refetch()}
      />
    );
  }
  if (list.isPending) return <Loading what="requests" />;
  if (rows.length === 0) {
    return (
      <EmptyState title="No request is recorded for this session">
        <p>
          Requests are listed as they pass through the gateway, with their times and the tokens that the
          provider counted.
        </p>
      </EmptyState>
    );
  }
  return (
    <DataTable
      label="Requests"
      columns={columns}
      rows={rows}
      rowKey={(row) => row.id}
      selected={selected}
      onEnd={more}
    />
  );
}

function columnsOf(sessionId: string): readonly Column<WireRequest>[] {
  return [
    {
      id: 'time',
      heading: 'Received',
      width: 100,
      cell: (row) => (
        <Link
          data-row=""
          href={`/archive/${sessionId}?tab=requests&request=${row.id}`}
          scroll={false}
          replace
          className="outline-none group-hover:underline"
        >
          <Time iso={row.receivedAt} as="moment" />
        </Link>
      ),
    },
    {
      id: 'kind',
      heading: 'For',
      className: 'lg:w-[164px]',
      cell: (row) => (
        <span className="flex items-center gap-2">
          {KIND_WORDS[row.kind] ?? row.kind}
          {row.retry ? <Badge>retry</Badge> : null}
          <RecallBadge row={row} />
        </span>
      ),
    },
    {
      id: 'model',
      heading: 'Model',
      className: 'max-lg:hidden',
      cell: (row) => <span className="font-mono text-sm">{row.model ?? '–'}</span>,
    },
    { id: 'outcome', heading: 'Outcome', width: 104, cell: (row) => <Outcome row={row} /> },
    {
      id: 'in',
      heading: 'Tokens in',
      width: 84,
      end: true,
      className: 'max-sm:hidden',
      cell: (row) => <Num value={inputTokens(row)} as="tokens" missing="the provider did not say" />,
    },
    {
      id: 'out',
      heading: 'Out',
      width: 68,
      end: true,
      className: 'max-sm:hidden',
      cell: (row) => <Num value={outputTokens(row)} as="tokens" missing="the provider did not say" />,
    },
    {
      id: 'first',
      heading: 'First byte',
      width: 84,
      end: true,
      className: 'max-xl:hidden',
      cell: (row) => <Num value={row.firstByteMs} as="ms" missing="no byte came" />,
    },
    {
      id: 'total',
      heading: 'Took',
      width: 84,
      end: true,
      cell: (row) => <Num value={row.totalMs} as="ms" missing="still running" />,
    },
  ];
}

/** What Recall did to a request, where it did or failed to do anything. */
function RecallBadge({ row }: { readonly row: WireRequest }) {
  if (row.unedited !== null)
    return (
      <Badge tone="warn" title="It went out as the agent sent it, because a step of Recall failed">
        left as sent
      </Badge>
    );
  if (row.made !== null)
    return (
      <Badge tone="accent" title="This request made a layout">
        layout
      </Badge>
    );
  return row.edited ? <Badge title="The model saw something else than the agent sent">edited</Badge> : null;
}

/** How a request ended, in words. */
export function Outcome({ row }: { readonly row: WireRequest }) {
  const { tone, words } = outcomeOf(row);
  return tone === 'good' ? <span className="text-soft">{words}</span> : <Badge tone={tone}>{words}</Badge>;
}
