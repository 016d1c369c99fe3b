'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { dayOf, integer, startOfDay } from '@/app/_lib/format.ts';
import { useKeys, walkRows } from '@/app/_lib/keys.tsx';
import { useNow } from '@/app/_lib/now.tsx';
import { failureOf, useTRPC } from '@/app/_lib/trpc.tsx';
import { CommandLine } from '@/app/_ui/copy-button.tsx';
import { ScrollRegion } from '@/app/_ui/scroll-region.tsx';
import { EmptyState, ErrorState, Loading } from '@/app/_ui/states.tsx';
import type { WireSession } from '@/server/api/index.ts';
import { Page } from '../_frame/page.tsx';
import { SessionTable } from '../_sessions/session-table.tsx';
import { AgentList } from './agent-list.tsx';
import { Connect } from './connect.tsx';
import { CostToday } from './cost-today.tsx';
import { HealthNotice } from './health-notice.tsx';

/** Sessions of one day that the home screen shows at most; the archive has them all. */
const SHOWN = 200;

/** The first screen: how to connect until the first session is there, from then on what happened today. */
export function Home() {
  const trpc = useTRPC();
  const now = useNow();
  const any = useQuery(trpc.sessions.list.queryOptions({ limit: 1 }));
  useKeys([
    ['j', () => walkRows(1)],
    ['k', () => walkRows(-1)],
  ]);
  if (any.isError) {
    return (
      <Page title="Home">
        <HealthNotice />
        <ErrorState
          title="The archive does not answer"
          failure={failureOf(any.error)}
          retry={() => void any.refetch()}
        />
      </Page>
    );
  }
  if (any.isPending || now === 0) {
    return (
      <Page title="Home">
        <Loading what="today" />
      </Page>
    );
  }
  if (any.data.items.length === 0) {
    return (
      <Page title="Connect an agent">
        <HealthNotice />
        <ScrollRegion label="Connect an agent" className="min-h-0 flex-1 overflow-auto">
          <Connect />
        </ScrollRegion>
      </Page>
    );
  }
  return (
    <Page title="Today" aside={<span className="pl-1 text-sm text-faint">{dayOf(now)}</span>}>
      <HealthNotice />
      <Today from={startOfDay(now)} newest={any.data.items[0]} />
    </Page>
  );
}

function Today({ from, newest }: { readonly from: number; readonly newest: WireSession | undefined }) {
  const trpc = useTRPC();
  const list = useQuery(
    trpc.sessions.list.queryOptions(
      { from: new Date(from).toISOString(), limit: SHOWN },
      { placeholderData: keepPreviousData },
    ),
  );
  const sessions = list.data?.items ?? [];
  return (
    <>
      <div className="grid shrink-0 gap-x-8 gap-y-3 border-b border-line px-4 py-3 lg:grid-cols-[1fr_minmax(320px,420px)]">
        <AgentList />
        <div className="min-w-0">
          <p className="mb-1 text-sm text-faint">Connect another agent</p>
          <CommandLine command="npx @context-mode/cli connect" />
          <p className="mt-1 text-sm text-soft">
            By hand, and what is kept:{' '}
            <Link href="/help/connect" className="text-accent underline">
              Help
            </Link>
          </p>
        </div>
      </div>
      {list.isError ? (
        <ErrorState
          title="Today's sessions could not be read"
          failure={failureOf(list.error)}
          retry={() => void list.refetch()}
        />
      ) : list.isPending ? (
        <Loading what="today's sessions" />
      ) : sessions.length === 0 ? (
        <EmptyState title="No session today">
          <p>
            The newest is{' '}
            {newest === undefined ? (
              'in the archive'
            ) : (
              <Link href={`/archive/${newest.id}`} className="text-accent underline">
                {newest.title === '' ? 'untitled' : newest.title}
              </Link>
            )}
            . All others are in the{' '}
            <Link href="/archive" className="text-accent underline">
              archive
            </Link>
            .
          </p>
        </EmptyState>
      ) : (
        <>
          <Sums from={from} sessions={sessions} more={list.data.next !== null} />
          <SessionTable label="Today's sessions" sessions={sessions} dimmed={list.isPlaceholderData} />
        </>
      )}
    </>
  );
}

function Sums(props: {
  readonly from: number;
  readonly sessions: readonly WireSession[];
  readonly more: boolean;
}) {
  const { from, sessions, more } = props;
  const sum = (pick: (session: WireSession) => number) =>
    integer(sessions.reduce((total, session) => total + pick(session), 0));
  const figures = [
    ['Sessions', integer(sessions.length)],
    ['Turns', sum((session) => session.turns)],
    ['Requests', sum((session) => session.requests)],
  ] as const;
  return (
    <dl className="flex shrink-0 flex-wrap gap-x-8 gap-y-1 px-4 pt-3 pb-1">
      {figures.map(([name, value]) => (
        <div key={name} className="flex items-baseline gap-2">
          <dt className="order-last text-sm text-faint">{name}</dt>
          <dd className="text-xl font-strong">{value}</dd>
        </div>
      ))}
      <CostToday from={from} />
      {more ? (
        <p className="self-center text-sm text-faint">
          of the newest {SHOWN};{' '}
          <Link href="/archive?span=today" className="text-accent underline">
            all
          </Link>
        </p>
      ) : null}
    </dl>
  );
}
