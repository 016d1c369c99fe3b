'use client';

import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTheme } from '@/app/_lib/providers.tsx';
import type { Theme } from '@/app/_lib/theme.ts';
import { failureOf, useTRPC } from '@/app/_lib/trpc.tsx';
import { Badge } from '@/app/_ui/badge.tsx';
import { CopyButton } from '@/app/_ui/copy-button.tsx';
import { Facts } from '@/app/_ui/pane.tsx';
import { ScrollRegion } from '@/app/_ui/scroll-region.tsx';
import { Select } from '@/app/_ui/select.tsx';
import { ErrorState, Loading } from '@/app/_ui/states.tsx';
import { Page } from '../_frame/page.tsx';
import { Recording } from '../_pause/recording.tsx';
import { KeptFacts, ProjectList } from './kept.tsx';
import { AccountRecall } from './recall.tsx';

const THEMES: readonly { readonly value: Theme; readonly label: string }[] = [
  { value: 'system', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

/** Settings: what can be chosen here, and what is set at the start, shown as it holds. */
export function SettingsScreen() {
  const trpc = useTRPC();
  const settings = useQuery(trpc.status.settings.queryOptions());
  const health = useQuery(trpc.status.health.queryOptions(undefined, { refetchInterval: 15_000 }));
  const { theme, choose } = useTheme();
  return (
    <Page title="Settings">
      <ScrollRegion label="Settings" className="min-h-0 flex-1 overflow-auto">
        <div className="max-w-[760px] py-2">
          <Section title="Appearance">
            <Facts
              facts={[
                [
                  'Theme',
                  <Select key="theme" label="Theme" value={theme} onChange={choose} choices={THEMES} />,
                ],
              ]}
            />
          </Section>
          {settings.isError ? (
            <ErrorState
              title="The settings could not be read"
              failure={failureOf(settings.error)}
              retry={() => void settings.refetch()}
            />
          ) : settings.data === undefined ? (
            <Loading what="settings" />
          ) : (
            <>
              <Section
                title="Doors"
                text="What agents use as their base URL, and where each door leads. Set by ANTHROPIC_UPSTREAM_URL, OPENAI_UPSTREAM_URL and CHATGPT_UPSTREAM_URL."
              >
                <Facts
                  facts={[
                    [
                      'Anthropic',
                      <Way
                        key="a"
                        from={`${settings.data.baseUrl}/anthropic`}
                        to={settings.data.upstreams.anthropic}
                      />,
                    ],
                    [
                      'OpenAI',
                      <Way
                        key="o"
                        from={`${settings.data.baseUrl}/openai/v1`}
                        to={settings.data.upstreams.openai}
                      />,
                    ],
                    [
                      'ChatGPT',
                      <Way
                        key="c"
                        from={`${settings.data.baseUrl}/chatgpt`}
                        to={settings.data.upstreams.chatgpt}
                      />,
                    ],
                  ]}
                />
              </Section>
              <Section title="Data" text="Set by CONTEXT_MODE_HOME and DATABASE_URL.">
                <Facts
                  facts={[
                    ['Folder', <Copied key="home" text={settings.data.home} what="the data folder" />],
                    [
                      'Database',
                      settings.data.database.kind === 'embedded'
                        ? 'A PostgreSQL of its own; it listens on no network port'
                        : `Your PostgreSQL at ${settings.data.database.where}`,
                    ],
                    ['Recording', <Recording key="recording" />],
                    ['Masking', 'Secrets and e-mail addresses, always on'],
                    ['Telemetry', 'None'],
                  ]}
                />
              </Section>
              <Section
                title="Recall"
                text="Keeps long sessions inside their window. A change takes effect at the next layout of each conversation, never in the middle of one. A project or a session can say otherwise."
              >
                <AccountRecall />
              </Section>
              <Section
                title="What is kept"
                text="What you delete can be taken back for twelve seconds, also after a reload; then it is really gone."
              >
                <KeptFacts />
              </Section>
              <Section
                title="Projects"
                text="A project is a repository, or a folder outside any. Deleting one deletes its sessions with it."
              >
                <ProjectList />
              </Section>
              <Section title="Process">
                <Facts
                  facts={[
                    ['Version', <code key="version">{settings.data.version}</code>],
                    ['Node.js', <code key="node">{settings.data.node}</code>],
                    ['Log level', <code key="log">{settings.data.logLevel}</code>],
                    ...(health.data?.parts ?? []).map(
                      (part) =>
                        [
                          capitalized(part.name),
                          <Health key={part.name} ok={part.ok} note={part.note} />,
                        ] as const,
                    ),
                    [
                      'API',
                      <a key="api" href="/api/v1/openapi.json" className="text-accent underline">
                        OpenAPI 3.1 description of /api/v1
                      </a>,
                    ],
                  ]}
                />
              </Section>
            </>
          )}
        </div>
      </ScrollRegion>
    </Page>
  );
}

function Section({
  title,
  text,
  children,
}: {
  readonly title: string;
  readonly text?: string;
  readonly children: ReactNode;
}) {
  return (
    <section className="border-b border-line py-3 last:border-0">
      <h2 className="px-4 font-strong">{title}</h2>
      {text === undefined ? null : <p className="px-4 text-sm text-faint">{text}</p>}
      {children}
    </section>
  );
}

function Way({ from, to }: { readonly from: string; readonly to: string }) {
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      <Copied text={from} what="the base URL" />
      <span className="text-faint">to</span>
      <code className="break-all">{to}</code>
    </span>
  );
}

function Copied({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <span className="inline-flex items-start gap-1">
      <code className="min-w-0 break-all">{text}</code>
      <span className="-my-0.5">
        <CopyButton text={text} what={what} />
      </span>
    </span>
  );
}

function Health({ ok, note }: { readonly ok: boolean; readonly note: string | null }) {
  return (
    <span className="flex flex-wrap items-center gap-2">
      <Badge tone={ok ? 'good' : 'bad'}>{ok ? 'works' : 'does not work'}</Badge>
      {note}
    </span>
  );
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
