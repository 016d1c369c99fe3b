'use client';

import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useCallback, useEffect, useMemo } from 'react';
import { shortMoment } from '@/app/_lib/format.ts';
import { useKeys, walkRows } from '@/app/_lib/keys.tsx';
import { failureOf, useTRPC } from '@/app/_lib/trpc.tsx';
import { Badge } from '@/app/_ui/badge.tsx';
import { Money } from '@/app/_ui/money.tsx';
import { Num } from '@/app/_ui/number.tsx';
import { EmptyState, ErrorState, Loading } from '@/app/_ui/states.tsx';
import { type Column, DataTable } from '@/app/_ui/table.tsx';
import { Time } from '@/app/_ui/time.tsx';
import type { WireLedgerRequest } from '@/server/api/index.ts';
import { CostBars } from '../../../ledger/cost-bars.tsx';
import { FeatureLines } from '../../../ledger/feature-lines.tsx';
import { Figures } from '../../../ledger/figures.tsx';
import { differenceWords } from '../../../ledger/words.ts';

/** Requests that the strip shows at most, the newest of them. */
const BARS = 400;

/** What a session cost: over time against directly, with its layouts marked, and every request of it. */
export function CostView({ sessionId }: { readonly sessionId: string }) {
  const trpc = useTRPC();
  const sums = useQuery(trpc.ledger.sums.queryOptions({ session: sessionId }));
  const list = useInfiniteQuery(
    trpc.ledger.requests.infiniteQueryOptions(
      { session: sessionId, limit: 500 },
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
  // The strip shows a session whole: what is asked for page by page is asked for to its end.
  useEffect(more, [more]);
  const failed = sums.error ?? list.error;
  if (failed !== null) {
    const retry = () => void Promise.all([sums.refetch(), list.refetch()]);
    return <ErrorState title="The costs could not be read" failure={failureOf(failed)} retry={retry} />;
  }
  if (sums.data === undefined || list.isPending) return <Loading what="costs" />;
  if (rows.length === 0) {
    return (
      <EmptyState title="Nothing is booked for this session">
        <p>
          A request is booked when its answer has ended. Requests from before the ledger have no row in it.
        </p>
      </EmptyState>
    );
  }
  const { billed, subscription } = sums.data.total;
  const listed = billed.requests === 0;
  const totals = listed ? subscription : billed;
  return (
    <>
      <Figures totals={totals} listed={listed} />
      <CostBars bars={rows.slice(-BARS).map(barOf)} label="Cost of each request, in their order" />
      <details className="shrink-0 border-b border-line">
        <summary className="cursor-pointer px-4 py-1.5 text-soft">By feature</summary>
        <FeatureLines totals={totals} />
      </details>
      <DataTable
        label="Costs of requests"
        columns={columns}
        rows={rows.toReversed()}
        rowKey={(row) => row.id}
        onEnd={more}
      />
    </>
  );
}

function barOf(row: WireLedgerRequest) {
  return {
    key: row.id,
    label: shortMoment(Date.parse(row.at)),
    actual: row.actual ?? '0',
    direct: row.direct,
    mark: row.layoutMade,
  };
}

function columnsOf(sessionId: string): readonly Column<WireLedgerRequest>[] {
  return [
    {
      id: 'time',
      heading: 'Received',
      cell: (row) => (
        <span className="flex items-center gap-2">
          <Link
            data-row=""
            href={`/archive/${sessionId}?tab=requests&request=${row.id}`}
            className="outline-none group-hover:underline"
          >
            <Time iso={row.at} as="moment" />
          </Link>
          <RowBadges row={row} />
        </span>
      ),
    },
    tokens('read', 'Cached', 'max-md:hidden', ({ read }) => read),
    tokens('write', 'To cache', 'max-lg:hidden', ({ write, writeLong }) => write + writeLong),
    tokens('new', 'New', 'max-lg:hidden', ({ input }) => input),
    tokens('out', 'Out', 'max-md:hidden', ({ output, reasoning }) => output + reasoning),
    {
      id: 'first',
      heading: 'First byte',
      width: 84,
      end: true,
      className: 'max-xl:hidden',
      cell: (row) => (
        <Num
          value={row.firstByteMs === null ? null : Math.max(0, row.firstByteMs - (row.ownMs ?? 0))}
          as="ms"
          missing="no byte came"
        />
      ),
    },
    {
      id: 'own',
      heading: 'Of ours',
      width: 72,
      end: true,
      className: 'max-xl:hidden',
      cell: (row) => <Num value={row.ownMs} as="ms" missing="not known" />,
    },
    {
      id: 'direct',
      heading: 'Directly',
      width: 88,
      end: true,
      className: 'max-sm:hidden',
      cell: (row) => <Amount of={row.direct} missing="not compared" />,
    },
    {
      id: 'actual',
      heading: 'Paid',
      width: 88,
      end: true,
      cell: (row) => <Amount of={row.actual} missing="the model has no price" />,
    },
    {
      id: 'difference',
      heading: 'Difference',
      width: 160,
      end: true,
      className: 'max-sm:hidden',
      cell: differenceOf,
    },
  ];
}

function tokens(
  id: string,
  heading: string,
  className: string,
  of: (used: WireLedgerRequest['tokens']) => number,
): Column<WireLedgerRequest> {
  return {
    id,
    heading,
    width: 84,
    end: true,
    className,
    cell: (row) => <Num value={of(row.tokens)} as="tokens" />,
  };
}

function Amount({ of, missing }: { readonly of: string | null; readonly missing: string }) {
  if (of !== null) return <Money amount={of} />;
  return (
    <span title={missing} className="text-faint">
      –
    </span>
  );
}

/** Actual less direct: all lines together. */
function differenceOf({ actual, direct }: WireLedgerRequest) {
  if (actual === null || direct === null) return <span className="text-faint">–</span>;
  const difference = (BigInt(actual.replace('.', '')) - BigInt(direct.replace('.', ''))).toString();
  const digits = difference.replace('-', '').padStart(10, '0');
  return differenceWords(
    `${difference.startsWith('-') ? '-' : ''}${digits.slice(0, -9)}.${digits.slice(-9)}`,
  );
}

function RowBadges({ row }: { readonly row: WireLedgerRequest }) {
  return (
    <>
      {row.layoutMade === null ? null : (
        <Badge tone="accent" title={`A layout was made for it: ${row.layoutMade}`}>
          layout
        </Badge>
      )}
      {row.calls > 1 ? (
        <Badge title="Upstream calls, hidden rounds among them">{row.calls} calls</Badge>
      ) : null}
      {row.kind === 'capped' ? (
        <Badge title="Sent directly it would have passed the window">past the window</Badge>
      ) : null}
      {row.subscription ? <Badge title="At list price, not billed">subscription</Badge> : null}
      {row.state === 'reported' ? null : <Badge tone="warn">{row.state}</Badge>}
    </>
  );
}
