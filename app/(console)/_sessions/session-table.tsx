'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { AGENT_NAMES, folderName } from '@/app/_lib/agents.ts';
import { useTRPC } from '@/app/_lib/trpc.tsx';
import { Button } from '@/app/_ui/button.tsx';
import { Num } from '@/app/_ui/number.tsx';
import { type Column, DataTable } from '@/app/_ui/table.tsx';
import { Time } from '@/app/_ui/time.tsx';
import type { WireSession } from '@/server/api/index.ts';

/** The title as it is shown: a session gets one with its first typed words. */
export function titleOf(session: Pick<WireSession, 'title'>): string {
  return session.title.trim() === '' ? 'Untitled session' : session.title;
}

const COLUMNS: readonly Column<WireSession>[] = [
  { id: 'title', heading: 'Session', cell: (session) => <TitleCell session={session} /> },
  {
    id: 'agent',
    heading: 'Agent',
    width: 112,
    className: 'max-sm:hidden',
    cell: ({ agent, agentVersion }) => <span title={agentVersion ?? undefined}>{AGENT_NAMES[agent]}</span>,
  },
  {
    id: 'project',
    heading: 'Project',
    width: 168,
    className: 'max-md:hidden',
    cell: (session) => <ProjectCell session={session} />,
  },
  {
    id: 'turns',
    heading: 'Turns',
    width: 64,
    end: true,
    className: 'max-sm:hidden',
    cell: ({ turns }) => <Num value={turns} />,
  },
  {
    id: 'requests',
    heading: 'Requests',
    width: 84,
    end: true,
    className: 'max-lg:hidden',
    cell: ({ requests }) => <Num value={requests} />,
  },
  {
    id: 'started',
    heading: 'Started',
    width: 112,
    end: true,
    className: 'max-lg:hidden',
    cell: ({ startedAt }) => (
      <span className="text-soft">
        <Time iso={startedAt} as="moment" />
      </span>
    ),
  },
  {
    id: 'seen',
    heading: 'Last seen',
    width: 112,
    end: true,
    cell: ({ lastSeenAt }) => <Time iso={lastSeenAt} />,
  },
];

/** Sessions as a table that opens them. */
export function SessionTable(props: {
  readonly label: string;
  readonly sessions: readonly WireSession[];
  readonly dimmed?: boolean;
  readonly onEnd?: () => void;
  readonly after?: ReactNode;
}) {
  const { sessions, ...rest } = props;
  return <DataTable {...rest} columns={COLUMNS} rows={sessions} rowKey={(session) => session.id} />;
}

function TitleCell({ session }: { readonly session: WireSession }) {
  if (session.deletesAt !== null) return <Leaving session={session} />;
  return (
    <Link
      data-row=""
      href={`/archive/${session.id}`}
      className="font-strong outline-none group-hover:underline"
      title={titleOf(session)}
    >
      {titleOf(session)}
      {session.threads > 1 ? (
        <span className="ml-2 text-sm font-normal text-faint">
          {session.threads - 1} sub-agent{session.threads > 2 ? 's' : ''}
        </span>
      ) : null}
    </Link>
  );
}

function ProjectCell({ session }: { readonly session: WireSession }) {
  if (session.project === null) return <span className="text-faint">none</span>;
  const { worktree, project } = session;
  return (
    <span title={worktree?.path}>
      {project.name === '' && worktree !== null ? folderName(worktree.path) : project.name}
      {worktree?.branch ? (
        <span className="ml-1.5 font-mono text-xs text-faint">{worktree.branch}</span>
      ) : null}
    </span>
  );
}

/** A row whose deletion still can be taken back. */
function Leaving({ session }: { readonly session: WireSession }) {
  const undo = useUndoDeletion();
  return (
    <span className="flex items-center gap-2">
      <span className="truncate text-faint line-through">{titleOf(session)}</span>
      <span className="text-sm text-bad">is being deleted</span>
      <Button data-row="" size="small" onClick={() => undo.mutate({ id: session.id })}>
        Undo
      </Button>
    </span>
  );
}

/** Takes a planned deletion back and renews the lists. */
export function useUndoDeletion() {
  const trpc = useTRPC();
  const queries = useQueryClient();
  return useMutation(
    trpc.sessions.undoDeletion.mutationOptions({
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.sessions.pathKey() }),
    }),
  );
}
