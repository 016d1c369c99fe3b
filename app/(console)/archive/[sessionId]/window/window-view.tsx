'use client';

import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useKeys, walkRows } from '@/app/_lib/keys.tsx';
import { failureOf, useTRPC } from '@/app/_lib/trpc.tsx';
import { ScrollRegion } from '@/app/_ui/scroll-region.tsx';
import { ErrorState, Loading } from '@/app/_ui/states.tsx';
import { RecallFields } from '../../../_recall/fields.tsx';
import { LayoutList } from './layout-list.tsx';
import { Preview } from './preview.tsx';
import { WindowState } from './window-state.tsx';

/** The window of a session: the layout in force, the next one, all that were made, and what is set. */
export function WindowView({
  sessionId,
  selected,
  onOpen,
}: {
  readonly sessionId: string;
  /** The layout that is open at the right; null: none. */
  readonly selected: string | null;
  readonly onOpen: (message: string) => void;
}) {
  const trpc = useTRPC();
  const list = useQuery(trpc.window.layouts.queryOptions({ id: sessionId }));
  const settings = useQuery(trpc.window.settings.queryOptions({ id: sessionId }));
  useKeys([
    ['j', () => walkRows(1)],
    ['k', () => walkRows(-1)],
  ]);
  const failed = list.error ?? settings.error;
  if (failed !== null) {
    return (
      <ErrorState
        title="The window could not be read"
        failure={failureOf(failed)}
        retry={() => {
          void list.refetch();
          void settings.refetch();
        }}
      />
    );
  }
  if (list.data === undefined || settings.data === undefined) return <Loading what="the window" />;
  const { items } = list.data;
  return (
    <ScrollRegion label="Window" className="min-h-0 flex-1 overflow-auto">
      <div className="max-w-[880px]">
        <WindowState sessionId={sessionId} layouts={items} settings={settings.data} />
        <Section title="The next layout">
          <Preview sessionId={sessionId} />
        </Section>
        <Section title={items.length === 0 ? 'Layouts' : `Layouts, newest first (${items.length})`}>
          <LayoutList sessionId={sessionId} layouts={items} selected={selected} onOpen={onOpen} />
        </Section>
        <Section
          title="Settings of this session"
          text="A change takes effect at the next layout, never in the middle of one."
        >
          <RecallFields scope={{ level: 'session', id: sessionId }} state={settings.data} />
        </Section>
      </div>
    </ScrollRegion>
  );
}

function Section(props: { readonly title: string; readonly text?: string; readonly children: ReactNode }) {
  return (
    <section className="border-b border-line py-3 last:border-0">
      <h2 className="px-4 font-strong">{props.title}</h2>
      {props.text === undefined ? null : <p className="px-4 text-sm text-faint">{props.text}</p>}
      {props.children}
    </section>
  );
}
