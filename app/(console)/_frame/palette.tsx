'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Command } from 'cmdk';
import { useRouter } from 'next/navigation';
import { useDeferredValue, useState } from 'react';
import { useTheme } from '@/app/_lib/providers.tsx';
import { useTRPC } from '@/app/_lib/trpc.tsx';
import { cx } from '@/app/_ui/cx.ts';
import { Dialog } from '@/app/_ui/dialog.tsx';
import { Icon } from '@/app/_ui/icon.tsx';
import { Time } from '@/app/_ui/time.tsx';
import {
  documentIdIn,
  isNamed,
  type PaletteAct,
  type PaletteEntry,
  paletteGroups,
} from './palette-entries.ts';

const NAME = 'Go to anything';

/** Everything by its name: screens, sessions, a document by its id, and what can be done anywhere. */
export function Palette(props: {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly onKeys: () => void;
}) {
  return (
    <Dialog open={props.open} onOpenChange={props.onOpenChange} title={NAME} bare>
      <PaletteBody close={() => props.onOpenChange(false)} onKeys={props.onKeys} />
    </Dialog>
  );
}

function PaletteBody({ close, onKeys }: { readonly close: () => void; readonly onKeys: () => void }) {
  const router = useRouter();
  const { choose } = useTheme();
  const [words, setWords] = useState('');
  const [chosen, setChosen] = useState('');
  const groups = paletteGroups(words, useFound(words));
  const values = groups.flatMap((group) => group.entries.map((entry) => entry.value));
  // Answers arrive after the words: the first line is chosen whenever the chosen one has gone.
  const current = values.includes(chosen) ? chosen : (values[0] ?? '');
  const run = (act: PaletteAct) => {
    close();
    if ('go' in act) router.push(act.go);
    else if ('theme' in act) choose(act.theme);
    else onKeys();
  };
  return (
    <Command
      label={NAME}
      loop
      shouldFilter={false}
      value={current}
      onValueChange={setChosen}
      className="flex min-h-0 flex-col"
    >
      <div className="flex items-center gap-2 border-b border-line px-3">
        <Icon name="search" className="shrink-0 text-faint" />
        <Command.Input
          autoFocus
          value={words}
          onValueChange={setWords}
          placeholder="A screen, a session's title, a document's id"
          className="h-11 w-full bg-transparent text-lg outline-none placeholder:text-faint"
        />
      </div>
      <Command.List className="min-h-0 flex-1 overflow-auto p-1.5" label="Results">
        {values.length === 0 ? <p className="px-2 py-6 text-soft">Nothing goes by this name.</p> : null}
        {groups.map((group) => (
          <Command.Group
            key={group.title}
            heading={group.title}
            className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-faint"
          >
            {group.entries.map((entry) => (
              <Line key={entry.value} entry={entry} run={() => run(entry.act)} />
            ))}
          </Command.Group>
        ))}
      </Command.List>
    </Command>
  );
}

function useFound(words: string) {
  const trpc = useTRPC();
  const q = useDeferredValue(words.trim());
  const sessions = useQuery(
    trpc.sessions.list.queryOptions(
      { limit: 8, ...(q === '' ? {} : { q }) },
      { placeholderData: keepPreviousData },
    ),
  );
  const docid = documentIdIn(words);
  const document = useQuery(
    trpc.documents.get.queryOptions(
      { docid: docid ?? '-', length: 0 },
      { enabled: docid !== null, retry: false },
    ),
  );
  // What answers older words is narrowed here, so that Enter never opens what the words do not name.
  const isOld = sessions.isPlaceholderData || q !== words.trim();
  const items = (sessions.data?.items ?? []).filter((one) => !isOld || isNamed(words, one.title));
  return { sessions: items, document: docid === null ? null : (document.data ?? null) };
}

function Line({ entry, run }: { readonly entry: PaletteEntry; readonly run: () => void }) {
  return (
    <Command.Item
      value={entry.value}
      onSelect={run}
      className="flex h-8 items-center gap-2 rounded-sm px-2 select-none data-[selected=true]:bg-accent-soft"
    >
      <Icon name={entry.icon} className="shrink-0 text-soft" />
      <span className={cx('truncate', entry.isId && 'font-mono text-sm')}>{entry.words}</span>
      {entry.note === null ? null : (
        <span className="ml-auto shrink-0 text-sm text-faint">
          {entry.note.words} · <Time iso={entry.note.iso} />
        </span>
      )}
    </Command.Item>
  );
}
