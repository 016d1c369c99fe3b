'use client';

import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTRPC } from '@/app/_lib/trpc.tsx';
import { CommandLine } from '@/app/_ui/copy-button.tsx';

const DEFAULT_BASE = 'http://127.0.0.1:4141';

/** The base URL under which agents on this machine reach us, as this page was reached. */
export function useBaseUrl(): string {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.status.settings.queryOptions());
  return data?.baseUrl ?? DEFAULT_BASE;
}

/** The one setting of each agent, to be made by hand. */
export function ManualSettings() {
  const base = useBaseUrl();
  const trpc = useTRPC();
  const { data } = useQuery(trpc.status.settings.queryOptions());
  if (data?.keyNeeded) return <KeyNeeded />;
  return (
    <dl className="space-y-3">
      {settingsFor(base).map(({ agent, place, setting }) => (
        <div key={agent}>
          <dt className="mb-1">
            <strong className="font-strong">{agent}</strong> {place}
          </dt>
          <dd>
            <CommandLine command={setting} what={`the setting for ${agent}`} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Each agent with the place of its setting, and the setting for this address. */
function settingsFor(
  base: string,
): readonly { readonly agent: string; readonly place: ReactNode; readonly setting: string }[] {
  const openCode = {
    anthropic: { options: { baseURL: `${base}/anthropic/v1` } },
    openai: { options: { baseURL: `${base}/openai/v1` } },
  };
  const pi = {
    anthropic: { baseUrl: `${base}/anthropic` },
    openai: { baseUrl: `${base}/openai/v1` },
  };
  return [
    {
      agent: 'Claude Code',
      place: (
        <>
          <span className="text-soft">in the shell, or under </span>
          <code>env</code>
          <span className="text-soft"> in </span>
          <code>~/.claude/settings.json</code>
        </>
      ),
      setting: `ANTHROPIC_BASE_URL=${base}/anthropic`,
    },
    {
      agent: 'Codex',
      place: (
        <>
          <span className="text-soft">at the top of </span>
          <code>~/.codex/config.toml</code>
        </>
      ),
      setting: `openai_base_url = "${base}/openai/v1"`,
    },
    {
      agent: 'OpenCode',
      place: (
        <>
          <span className="text-soft">in </span>
          <code>~/.config/opencode/opencode.json</code>
        </>
      ),
      setting: `"provider": ${JSON.stringify(openCode)}`,
    },
    {
      agent: 'Pi',
      place: (
        <>
          <span className="text-soft">in </span>
          <code>~/.pi/agent/models.json</code>
        </>
      ),
      setting: `"providers": ${JSON.stringify(pi)}`,
    },
  ];
}

/** Where the system does not tell owners, an address alone would let requests pass and record nothing. */
function KeyNeeded() {
  return (
    <div className="space-y-2">
      <p className="text-soft">
        This system does not tell whose a request is, so each agent shows a key. The command writes it for
        you; by hand it would be a secret to copy.
      </p>
      <CommandLine command="npx @context-mode/cli connect" what="the command" />
    </div>
  );
}
