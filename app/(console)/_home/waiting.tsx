'use client';

import { useEffect, useState } from 'react';
import { useLiveState } from '@/app/_lib/live.tsx';
import { Dot } from '@/app/_ui/badge.tsx';
import { Button } from '@/app/_ui/button.tsx';
import { CommandLine } from '@/app/_ui/copy-button.tsx';
import { useBaseUrl } from './manual-settings.tsx';

/** Silence after which the usual causes are shown. Milliseconds. */
const PATIENCE_MS = 60_000;

/** Waits for the first request, and after a minute of silence says what usually is the matter. */
export function Waiting() {
  const live = useLiveState();
  const [silent, setSilent] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSilent(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div>
      <p role="status" className="flex min-h-8 items-center gap-2">
        <Dot tone={live === 'lost' ? 'bad' : 'accent'} waiting />
        {live === 'lost'
          ? 'Context Mode does not answer. Is it still running?'
          : 'Waiting for the first request. It appears here by itself.'}
        {silent ? null : (
          <Button look="quiet" size="small" onClick={() => setSilent(true)}>
            Nothing arrives?
          </Button>
        )}
      </p>
      {silent ? <Causes /> : null}
    </div>
  );
}

function Causes() {
  const base = useBaseUrl();
  const causes = [
    {
      title: 'The agent was not started again',
      text: 'Settings are read at the start. This lists agents that run now, and since when; quit those that are older than the change:',
      check: "ps -eo pid,lstart,args | grep -E '[c]laude|[c]odex'",
    },
    {
      title: 'A shell variable outranks the file',
      text: `In the shell that the agent starts from, this must print nothing, or nothing but ${base}/anthropic:`,
      check: "env | grep -E 'ANTHROPIC_BASE_URL|CLAUDE_CODE_USE_'",
    },
    {
      title: 'The agent has another base URL',
      text: 'This looks at the whole way: the file of each agent, what outranks it, variables, proxies, the gateway:',
      check: 'npx @context-mode/cli doctor',
    },
  ];
  return (
    <section aria-label="Usual causes" className="mt-2 rounded-md border border-line bg-surface px-4 py-3">
      <h3 className="font-strong">Nothing has arrived. Usually it is one of these three:</h3>
      <ol className="mt-2 space-y-3">
        {causes.map((cause) => (
          <li key={cause.title}>
            <p className="font-strong">{cause.title}</p>
            <p className="mb-1 text-soft">{cause.text}</p>
            <CommandLine command={cause.check} what="the check" />
          </li>
        ))}
      </ol>
    </section>
  );
}
