'use client';

import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTRPC } from '@/app/_lib/trpc.tsx';
import { CommandLine } from '@/app/_ui/copy-button.tsx';
import { AgentList } from './agent-list.tsx';
import { ManualSettings } from './manual-settings.tsx';
import { Waiting } from './waiting.tsx';

/** The screen before the first session: what to run, whether anything has come, and what happens to what comes. */
export function Connect() {
  return (
    <div className="grid max-w-[1120px] gap-x-12 gap-y-8 px-4 py-6 lg:grid-cols-[minmax(0,1fr)_minmax(0,380px)]">
      <div className="min-w-0 space-y-8">
        <Step number={1} title="Run this in a terminal">
          <CommandLine command="npx @context-mode/cli connect" />
          <p className="mt-2 text-soft">
            It finds Claude Code, Codex, OpenCode and Pi on this machine, shows what it would change in the
            one file of each, and changes it when you agree. <code>disconnect</code> puts back what was there,
            byte for byte.
          </p>
        </Step>
        <Step number={2} title="Start the agent again and type something">
          <p className="text-soft">
            An agent reads its settings when it starts. One that is already running goes on without Context
            Mode.
          </p>
        </Step>
        <Step number={3} title="Watch it arrive">
          <Waiting />
          <div className="mt-4">
            <AgentList />
          </div>
        </Step>
        <Step number={null} title="By hand instead">
          <ManualSettings />
        </Step>
      </div>
      <Promises />
    </div>
  );
}

function Step({
  number,
  title,
  children,
}: {
  readonly number: number | null;
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <section>
      <h2 className="mb-2 flex items-baseline gap-2 text-lg font-strong">
        {number === null ? null : <span className="font-mono text-base text-accent">{number}</span>}
        {title}
      </h2>
      {children}
    </section>
  );
}

/** What a person must know before the first request: what is kept, where, and what leaves. */
function Promises() {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.status.settings.queryOptions());
  return (
    <aside aria-label="What is kept" className="space-y-4 border-line lg:border-l lg:pl-8">
      <h2 className="text-lg font-strong">What happens to your words</h2>
      <Vow title="Kept here">
        Every conversation that passes is kept whole, in{' '}
        <code className="break-words">{data?.home ?? 'the data folder'}</code>, in a database that listens on
        no network port. You can export or delete any session.
      </Vow>
      <Vow title="Masked first">
        Secrets and e-mail addresses are replaced by masks before anything is written. The agent and its
        provider still see the real text.
      </Vow>
      <Vow title="Nothing else leaves">
        The only thing that leaves this machine is what your agent sends to its provider anyway, unchanged.
        Keys pass through and are never stored.
      </Vow>
      <Vow title="No telemetry">Context Mode reports nothing to anybody.</Vow>
    </aside>
  );
}

function Vow({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <h3 className="font-strong">{title}</h3>
      <p className="text-soft">{children}</p>
    </section>
  );
}
