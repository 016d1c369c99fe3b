'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { walkRows } from '@/app/_lib/keys.tsx';
import { useTRPC } from '@/app/_lib/trpc.tsx';
import { Button } from '@/app/_ui/button.tsx';
import { Icon } from '@/app/_ui/icon.tsx';
import { SearchInput, TextInput } from '@/app/_ui/input.tsx';
import { Select } from '@/app/_ui/select.tsx';
import { titleOf } from '../../_sessions/session-table.tsx';
import { ProjectFilter } from '../_filters/project-filter.tsx';
import { TimeFilter } from '../_filters/time-filter.tsx';
import { isNarrowed, KIND_CHOICES, NO_FILTER, ROLE_CHOICES, type SearchState } from './search-state.ts';

/** What changes of a search; null takes a part away. */
export type SearchChange = { readonly [Name in keyof SearchState]?: SearchState[Name] | null };

/** The words, and everything that narrows them. */
export function FilterBar(props: {
  readonly state: SearchState;
  readonly onChange: (next: SearchChange) => void;
}) {
  const { state, onChange } = props;
  const hasRare = [state.role, state.tool, state.path, state.thread].some((value) => value !== '');
  const [more, setMore] = useState(hasRare);
  return (
    <search className="flex shrink-0 flex-col gap-2 border-b border-line px-4 py-2">
      <SearchInput
        label="Search everything"
        placeholder={'Words, "a phrase", -not, prefix*'}
        value={state.q}
        autoFocus={state.q === ''}
        onChange={(event) => onChange({ q: event.target.value })}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
          if (event.key !== 'ArrowDown' && event.key !== 'Enter') return;
          event.preventDefault();
          walkRows(1);
        }}
        className="w-full max-w-[720px]"
      />
      <div className="flex flex-wrap items-center gap-2">
        <ProjectFilter value={state.project} onChange={(project) => onChange({ project })} />
        <Select
          label="Kind"
          value={state.kind}
          onChange={(kind) => onChange({ kind })}
          choices={KIND_CHOICES}
        />
        <TimeFilter state={state} onChange={onChange} />
        {state.session === '' ? null : (
          <SessionChip id={state.session} onClear={() => onChange({ session: null })} />
        )}
        {hasRare ? null : (
          <Button look="quiet" aria-expanded={more} onClick={() => setMore((open) => !open)}>
            {more ? 'Fewer filters' : 'More filters'}
          </Button>
        )}
        {isNarrowed(state) ? (
          <Button look="quiet" onClick={() => onChange(NO_FILTER)}>
            Clear
          </Button>
        ) : null}
      </div>
      {more || hasRare ? <RareFilters {...props} /> : null}
    </search>
  );
}

function RareFilters({ state, onChange }: Parameters<typeof FilterBar>[0]) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Select label="Who" value={state.role} onChange={(role) => onChange({ role })} choices={ROLE_CHOICES} />
      <TextInput
        label="Tool"
        placeholder="Tool, such as Bash"
        value={state.tool}
        onChange={(event) => onChange({ tool: event.target.value })}
        className="w-40"
      />
      <TextInput
        label="Path"
        placeholder="Path or its end"
        value={state.path}
        onChange={(event) => onChange({ path: event.target.value })}
        className="w-52"
      />
      <TextInput
        label="Thread"
        placeholder="main, or a sub-agent's id"
        value={state.thread}
        onChange={(event) => onChange({ thread: event.target.value })}
        className="w-48"
      />
    </div>
  );
}

/** The session that the search is kept to. */
function SessionChip({ id, onClear }: { readonly id: string; readonly onClear: () => void }) {
  const trpc = useTRPC();
  const session = useQuery(trpc.sessions.get.queryOptions({ id }, { retry: false }));
  return (
    <span className="flex h-7 max-w-72 items-center gap-1 rounded-md bg-accent-soft pl-2 text-accent-strong">
      <span className="truncate">
        In: {session.data === undefined ? 'one session' : titleOf(session.data)}
      </span>
      <button
        type="button"
        aria-label="Search in all sessions"
        title="Search in all sessions"
        onClick={onClear}
        className="flex size-7 shrink-0 items-center justify-center rounded-md hover:bg-hover"
      >
        <Icon name="close" className="size-3" />
      </button>
    </span>
  );
}
