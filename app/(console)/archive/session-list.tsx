'use client';

import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { useCallback, useMemo } from 'react';
import { AGENT_NAMES } from '@/app/_lib/agents.ts';
import { startOfDay } from '@/app/_lib/format.ts';
import { useKeys, walkRows } from '@/app/_lib/keys.tsx';
import { useNow } from '@/app/_lib/now.tsx';
import { failureOf, useTRPC } from '@/app/_lib/trpc.tsx';
import { Button } from '@/app/_ui/button.tsx';
import { CommandLine } from '@/app/_ui/copy-button.tsx';
import { SearchInput } from '@/app/_ui/input.tsx';
import { Select } from '@/app/_ui/select.tsx';
import { EmptyState, ErrorState, Loading } from '@/app/_ui/states.tsx';
import type { WireSession } from '@/server/api/index.ts';
import { Page } from '../_frame/page.tsx';
import { SessionTable } from '../_sessions/session-table.tsx';

const AGENTS = ['claude-code', 'codex', 'opencode', 'pi', 'unknown'] as const;
const SPANS = ['today', '7d', '30d', 'all'] as const;
const DAY = 86_400_000;

const FILTERS = {
  q: parseAsString.withDefault(''),
  agent: parseAsStringLiteral(['all', ...AGENTS]).withDefault('all'),
  project: parseAsString.withDefault('all'),
  span: parseAsStringLiteral(SPANS).withDefault('all'),
};

type Filters = {
  readonly q: string;
  readonly agent: 'all' | WireSession['agent'];
  readonly project: string;
  readonly span: (typeof SPANS)[number];
};

/** Every session in the archive, newest first, with filters that stand in the address. */
export function SessionList() {
  const [filters, setFilters] = useQueryStates(FILTERS, { history: 'replace', throttleMs: 150 });
  const list = useSessions(filters);
  useKeys([
    ['j', () => walkRows(1)],
    ['k', () => walkRows(-1)],
  ]);

  const sessions = useMemo(() => list.data?.pages.flatMap((page) => page.items) ?? [], [list.data]);
  const filtered =
    filters.q !== '' || filters.agent !== 'all' || filters.project !== 'all' || filters.span !== 'all';
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = list;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);

  return (
    <Page title="Archive">
      <FilterBar filters={filters} onChange={(next) => void setFilters(next)} filtered={filtered} />
      {list.isError ? (
        <ErrorState
          title="The sessions could not be read"
          failure={failureOf(list.error)}
          retry={() => void list.refetch()}
        />
      ) : list.isPending ? (
        <Loading what="sessions" />
      ) : sessions.length === 0 ? (
        <NoSessions filtered={filtered} />
      ) : (
        <SessionTable
          label="Sessions"
          sessions={sessions}
          dimmed={list.isPlaceholderData}
          onEnd={more}
          after={isFetchingNextPage ? <p className="px-4 py-2 text-faint">Loading older sessions…</p> : null}
        />
      )}
    </Page>
  );
}

function useSessions(filters: Filters) {
  const trpc = useTRPC();
  const now = useNow();
  const today = now === 0 ? 0 : startOfDay(now);
  const from = { today, '7d': today - 6 * DAY, '30d': today - 29 * DAY, all: null }[filters.span];
  const input = {
    limit: 100,
    ...(filters.q.trim() === '' ? {} : { q: filters.q.trim() }),
    ...(filters.agent === 'all' ? {} : { agent: filters.agent }),
    ...(filters.project === 'all' ? {} : { project: filters.project }),
    ...(from === null ? {} : { from: new Date(from).toISOString() }),
  };
  return useInfiniteQuery(
    trpc.sessions.list.infiniteQueryOptions(input, {
      getNextPageParam: (page) => page.next,
      placeholderData: keepPreviousData,
      enabled: from === null || now !== 0,
    }),
  );
}

function FilterBar(props: {
  readonly filters: Filters;
  readonly onChange: (next: Partial<Filters> | null) => void;
  readonly filtered: boolean;
}) {
  const { filters, onChange, filtered } = props;
  const trpc = useTRPC();
  const projects = useQuery(trpc.sessions.projects.queryOptions());
  return (
    <search className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2">
      <SearchInput
        label="Search titles"
        placeholder="Search titles"
        value={filters.q}
        onChange={(event) => onChange({ q: event.target.value })}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
          if (event.key !== 'ArrowDown' && event.key !== 'Enter') return;
          event.preventDefault();
          event.currentTarget.blur();
          walkRows(1);
        }}
        className="w-64 max-sm:w-full"
      />
      <Select
        label="Agent"
        value={filters.agent}
        onChange={(agent) => onChange({ agent })}
        choices={[
          { value: 'all', label: 'All agents' },
          ...AGENTS.map((agent) => ({ value: agent, label: AGENT_NAMES[agent] })),
        ]}
      />
      <Select
        label="Project"
        value={filters.project}
        onChange={(project) => onChange({ project })}
        choices={[
          { value: 'all', label: 'All projects' },
          ...(projects.data?.items ?? []).map(({ id, name }) => ({ value: id as string, label: name })),
        ]}
      />
      <Select
        label="Time"
        value={filters.span}
        onChange={(span) => onChange({ span })}
        choices={[
          { value: 'today', label: 'Today' },
          { value: '7d', label: 'Last 7 days' },
          { value: '30d', label: 'Last 30 days' },
          { value: 'all', label: 'Any time' },
        ]}
      />
      {filtered ? (
        <Button look="quiet" onClick={() => onChange(null)}>
          Clear
        </Button>
      ) : null}
    </search>
  );
}

function NoSessions({ filtered }: { readonly filtered: boolean }) {
  if (filtered) {
    return (
      <EmptyState title="No session fits">
        <p>The search looks at titles. Take a filter away, or search fewer words.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No session yet">
      <p>
        A session appears here with an agent's first request: its title, agent, project, and every word of it.
        Connect an agent and type something into it:
      </p>
      <CommandLine command="npx @context-mode/cli connect" />
    </EmptyState>
  );
}
