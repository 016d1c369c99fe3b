'use client';

import { useQuery } from '@tanstack/react-query';
import { AGENT_NAMES } from '@/app/_lib/agents.ts';
import { useTRPC } from '@/app/_lib/trpc.tsx';
import { Dot, type Tone } from '@/app/_ui/badge.tsx';
import { Num } from '@/app/_ui/number.tsx';
import { Time } from '@/app/_ui/time.tsx';
import { Words } from '@/app/_ui/words.tsx';
import type { WireConnection } from '@/server/api/index.ts';

/** Agents that have come through a door, with the provider's own words where it refused the last request. */
export function AgentList() {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.status.connections.queryOptions());
  const agents = data?.items ?? [];
  return (
    <section aria-label="Agents" className="min-w-0">
      <h2 className="mb-1 text-sm text-faint">Agents</h2>
      {agents.length === 0 ? <p className="text-soft">None has come through yet.</p> : null}
      <ul>
        {agents.map((agent) => (
          <Agent key={agent.agent} agent={agent} />
        ))}
      </ul>
    </section>
  );
}

function Agent({ agent }: { readonly agent: WireConnection }) {
  const { tone, words } = standingOf(agent);
  return (
    <li className="py-0.5">
      <div className="flex min-w-0 flex-wrap items-center gap-x-2">
        <Dot tone={tone} />
        <span className="font-strong">{AGENT_NAMES[agent.agent]}</span>
        {agent.agentVersion === null ? null : (
          <span className="font-mono text-xs text-faint">{agent.agentVersion}</span>
        )}
        <span className={tone === 'bad' ? 'text-bad' : 'text-soft'}>{words}</span>
        <span className="text-sm text-faint max-sm:basis-full max-sm:pl-4">
          <Num value={agent.requests} /> {agent.requests === 1 ? 'request' : 'requests'}, last{' '}
          <Time iso={agent.lastSeenAt} />
        </span>
      </div>
      {agent.lastError === null ? null : (
        <div className="mt-1 mb-1 ml-4 border-l-2 border-bad pl-3">
          <p className="wrap-text max-w-[80ch] text-soft">
            The provider said: “<Words text={agent.lastError.message} />”
          </p>
          <p className="text-sm text-faint">{adviceOf(agent)}</p>
        </div>
      )}
    </li>
  );
}

function standingOf({ lastStatus, lastError }: WireConnection): {
  readonly tone: Tone;
  readonly words: string;
} {
  if (lastStatus === 401 || lastStatus === 403) return { tone: 'bad', words: `key refused (${lastStatus})` };
  if (lastError !== null)
    return { tone: 'warn', words: lastStatus === null ? 'last request failed' : `last answer ${lastStatus}` };
  return { tone: 'good', words: 'connected' };
}

function adviceOf({ agent, lastStatus }: WireConnection): string {
  if (lastStatus === 401 || lastStatus === 403) {
    return `The key is the one that ${AGENT_NAMES[agent]} itself sent; Context Mode passes it on and keeps no copy. Sign in to the agent again, or give it another key.`;
  }
  if (lastStatus === 429 || lastStatus === 529) return 'The agent tries again by itself.';
  return 'The answer was passed on to the agent as it came.';
}
