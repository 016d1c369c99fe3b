'use client';

import Link from 'next/link';
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { useMemo } from 'react';
import { AGENT_NAMES } from '@/app/_lib/agents.ts';
import { useKeys, walkRows } from '@/app/_lib/keys.tsx';
import { useNow } from '@/app/_lib/now.tsx';
import { useSettled } from '@/app/_lib/settled.ts';
import { failureOf } from '@/app/_lib/trpc.tsx';
import { Button, buttonClass } from '@/app/_ui/button.tsx';
import { CommandLine } from '@/app/_ui/copy-button.tsx';
import { Icon } from '@/app/_ui/icon.tsx';
import { SearchInput } from '@/app/_ui/input.tsx';
import { Select } from '@/app/_ui/select.tsx';
import { EmptyState, ErrorState, Loading } from '@/app/_ui/states.tsx';
import type { WireSession } from '@/server/api/index.ts';
import { Page } from '../_frame/page.tsx';
import { SessionTable } from '../_sessions/session-table.tsx';
import { ExportMenu } from './_filters/export-menu.tsx';
import { ProjectFilter } from './_filters/project-filter.tsx';
import { ProjectMenu } from './_filters/project-menu.tsx';
import { TimeFilter } from './_filters/time-filter.tsx';
import { boundsOf, SPAN_STATE, type SpanState } from './_filters/time-span.ts';
import { searchAddress } from './search/search-state.ts';
import { type SessionFilter, useSessions } from './use-sessions.ts';

const AGENTS = ['claude-code', 'codex', 'opencode', 'pi', 'unknown'] as const;
/** Milliseconds that the words must rest before they are looked for. */
const REST_MS = 150;

const FILTERS = {
  q: parseAsString.withDefault(''),
  agent: parseAsStringLiteral(['all', ...AGENTS]).withDefault('all'),
  project: parseAsString.withDefault(''),
  ...SPAN_STATE,
};

interface Filters extends SpanState {
  readonly q: string;
  readonly agent: 'all' | WireSession['agent'];
  readonly project: string;
}

/** Every session in the archive, newest first, with filters that stand in the address. */
export function SessionList() {
  const [filters, setFilters] = useQueryStates(FILTERS, { history: 'replace', throttleMs: 150 });
  const filter = useFilter(filters);
  const list = useSessions(filter);
  useKeys([
    ['j', () => walkRows(1)],
    ['k', () => walkRows(-1)],
  ]);
  const { head, rows, more } = list;
  const filtered =
    filters.q !== '' || filters.agent !== 'all' || filters.project !== '' || filters.span !== 'all';
  const words = filters.q.trim();
  return (
    <Page
      title="Archive"
      actions={
        <>
          <Link
            href={searchAddress({ q: words, project: filters.project })}
            aria-label="Search every word"
            className={buttonClass({})}
          >
            <Icon name="search" className="shrink-0 max-sm:hidden" />
            <span className="max-sm:hidden">Search every word</span>
            <span className="sm:hidden">Every word</span>
          </Link>
          <ExportMenu kind="sessions" what="Sessions" query={filter} />
        </>
      }
    >
      <FilterBar filters={filters} onChange={(next) => void setFilters(next)} filtered={filtered} />
      {head.isError ? (
        <ErrorState
          title="The sessions could not be read"
          failure={failureOf(head.error)}
          retry={() => void head.refetch()}
        />
      ) : head.isPending ? (
        <Loading what="sessions" />
      ) : rows.length === 0 ? (
        <NoSessions filtered={filtered} words={words} />
      ) : (
        <SessionTable
          label="Sessions"
          sessions={rows}
          dimmed={head.isPlaceholderData}
          onEnd={more}
          after={
            list.isFetchingMore ? (
              <p className="px-4 py-2 text-faint">Loading older sessions…</p>
            ) : list.moreError === null ? null : (
              <p role="alert" className="flex items-center gap-2 px-4 py-2 text-bad">
                Older sessions could not be read. {failureOf(list.moreError).message}
                <Button size="small" onClick={more}>
                  Try again
                </Button>
              </p>
            )
          }
        />
      )}
    </Page>
  );
}

/** The filter as the API takes it; null while the present day is not known. */
function useFilter(filters: Filters): SessionFilter | null {
  const now = useNow();
  const bounds = JSON.stringify(boundsOf(filters, now));
  const q = useSettled(filters.q.trim(), REST_MS);
  const { agent, project } = filters;
  return useMemo(() => {
    const known = JSON.parse(bounds) as ReturnType<typeof boundsOf>;
    if (known === null) return null;
    return {
      ...known,
      ...(q === '' ? {} : { q }),
      ...(agent === 'all' ? {} : { agent }),
      ...(project === '' ? {} : { project }),
    };
  }, [bounds, q, agent, project]);
}

function FilterBar(props: {
  readonly filters: Filters;
  readonly onChange: (next: Partial<Filters> | null) => void;
  readonly filtered: boolean;
}) {
  const { filters, onChange, filtered } = props;
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
      <ProjectFilter value={filters.project} onChange={(project) => onChange({ project })} />
      {filters.project === '' ? null : <ProjectMenu id={filters.project} />}
      <TimeFilter state={filters} onChange={onChange} />
      {filtered ? (
        <Button look="quiet" onClick={() => onChange(null)}>
          Clear
        </Button>
      ) : null}
    </search>
  );
}

function NoSessions({ filtered, words }: { readonly filtered: boolean; readonly words: string }) {
  if (filtered) {
    return (
      <EmptyState title="No session fits">
        <p>This field looks at titles alone. Take a filter away, or search fewer words.</p>
        {words === '' ? null : (
          <p>
            <Link href={searchAddress({ q: words })} className="text-accent underline">
              Search every word for “{words}”
            </Link>
          </p>
        )}
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
