'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Command } from 'cmdk';
import { useRouter } from 'next/navigation';
import { type ReactNode, useDeferredValue, useState } from 'react';
import { AGENT_NAMES } from '@/app/_lib/agents.ts';
import { useTheme } from '@/app/_lib/providers.tsx';
import { useTRPC } from '@/app/_lib/trpc.tsx';
import { Dialog } from '@/app/_ui/dialog.tsx';
import { Icon, type IconName } from '@/app/_ui/icon.tsx';
import { Time } from '@/app/_ui/time.tsx';
import { SCREENS } from './places.ts';

const DOCUMENT_ID = /^(context-mode-msg-)?[0-9a-f]{6,}$/;

/** Everything by its name: screens, sessions, a document by its id, and what can be done anywhere. */
export function Palette(props: {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly onKeys: () => void;
}) {
  return (
    <Dialog open={props.open} onOpenChange={props.onOpenChange} title="Go to anything" bare>
      <PaletteBody close={() => props.onOpenChange(false)} onKeys={props.onKeys} />
    </Dialog>
  );
}

function PaletteBody({ close, onKeys }: { readonly close: () => void; readonly onKeys: () => void }) {
  const router = useRouter();
  const { choose } = useTheme();
  const [words, setWords] = useState('');
  const act = (run: () => void) => () => {
    close();
    run();
  };
  const go = (href: string) => act(() => router.push(href));
  return (
    <Command label="Go to anything" loop shouldFilter={false} className="flex min-h-0 flex-col">
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
        <Command.Empty className="px-2 py-6 text-soft">Nothing goes by this name.</Command.Empty>
        <Documents words={words} go={go} />
        <Group title="Screens">
          {SCREENS.filter((screen) => matches(words, screen.label)).map((screen) => (
            <Row
              key={screen.href}
              value={`screen ${screen.href}`}
              icon={screen.icon}
              onSelect={go(screen.href)}
            >
              {screen.label}
            </Row>
          ))}
        </Group>
        <Sessions words={words} go={go} />
        <Group title="Do">
          {(['light', 'dark', 'system'] as const)
            .filter((theme) => matches(words, `${theme} theme`))
            .map((theme) => (
              <Row
                key={theme}
                value={`theme ${theme}`}
                icon={theme === 'light' ? 'sun' : theme === 'dark' ? 'moon' : 'system'}
                onSelect={act(() => choose(theme))}
              >
                {`Use the ${theme} theme`}
              </Row>
            ))}
          {matches(words, 'keys shortcuts') ? (
            <Row value="keys" icon="help" onSelect={act(onKeys)}>
              List the keys
            </Row>
          ) : null}
        </Group>
      </Command.List>
    </Command>
  );
}

function matches(words: string, name: string): boolean {
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => name.toLowerCase().includes(word));
}

function Sessions({ words, go }: { readonly words: string; readonly go: (href: string) => () => void }) {
  const trpc = useTRPC();
  const q = useDeferredValue(words.trim());
  const { data } = useQuery(
    trpc.sessions.list.queryOptions(
      { limit: 8, ...(q === '' ? {} : { q }) },
      { placeholderData: keepPreviousData },
    ),
  );
  if (data === undefined || data.items.length === 0) return null;
  return (
    <Group title="Sessions">
      {data.items.map((session) => (
        <Row
          key={session.id}
          value={`session ${session.id}`}
          icon="archive"
          onSelect={go(`/archive/${session.id}`)}
        >
          <span className="truncate">{session.title === '' ? 'Untitled' : session.title}</span>
          <span className="ml-auto shrink-0 text-sm text-faint">
            {AGENT_NAMES[session.agent]} · <Time iso={session.lastSeenAt} />
          </span>
        </Row>
      ))}
    </Group>
  );
}

function Documents({ words, go }: { readonly words: string; readonly go: (href: string) => () => void }) {
  const trpc = useTRPC();
  const typed = words.trim().toLowerCase();
  const looksLikeId = DOCUMENT_ID.test(typed);
  const docid = typed.startsWith('context-mode-msg-') ? typed : `context-mode-msg-${typed}`;
  const { data } = useQuery(
    trpc.documents.get.queryOptions({ docid, length: 80 }, { enabled: looksLikeId, retry: false }),
  );
  if (!looksLikeId || data === undefined) return null;
  return (
    <Group title="Documents">
      <Row
        value={`document ${data.docid}`}
        icon="archive"
        onSelect={go(`/archive/${data.sessionId}?at=${data.seq}&doc=${data.docid}`)}
      >
        <span className="truncate font-mono text-sm">{data.docid}</span>
      </Row>
    </Group>
  );
}

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Command.Group
      heading={title}
      className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-faint [&:not(:has([cmdk-item]))]:hidden"
    >
      {children}
    </Command.Group>
  );
}

function Row(props: {
  readonly value: string;
  readonly icon: IconName;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}) {
  return (
    <Command.Item
      value={props.value}
      onSelect={props.onSelect}
      className="flex h-8 items-center gap-2 rounded-sm px-2 select-none data-[selected=true]:bg-accent-soft"
    >
      <Icon name={props.icon} className="shrink-0 text-soft" />
      {props.children}
    </Command.Item>
  );
}
