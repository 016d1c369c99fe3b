'use client';

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { byteSize, integer } from '@/app/_lib/format.ts';
import { failureOf, useTRPC } from '@/app/_lib/trpc.tsx';
import { Button } from '@/app/_ui/button.tsx';
import { Facts } from '@/app/_ui/pane.tsx';
import { Select } from '@/app/_ui/select.tsx';
import { ErrorState, Loading } from '@/app/_ui/states.tsx';
import { notify } from '@/app/_ui/toast.tsx';
import type { WireAccountSettings, WireProject } from '@/server/api/index.ts';
import { systemClock } from '@/server/kernel/clock.ts';
import { ProjectRecall } from './recall.tsx';

/** Days that are offered; another number that was set by a script is offered beside them. */
const DAYS = [7, 30, 90, 180, 365] as const;

type Retention = WireProject['retention'];

function wordsOf(retention: Retention): string {
  if (retention === 'forever') return 'For ever';
  if (retention === 'account') return 'As all others';
  return `${integer(retention)} day${retention === 1 ? '' : 's'}`;
}

function RetentionSelect<Value extends Retention>(props: {
  readonly label: string;
  readonly value: Value;
  readonly offered: readonly Value[];
  readonly onChange: (value: Value) => void;
}) {
  const { label, value, offered, onChange } = props;
  const values = offered.includes(value) ? offered : [...offered, value];
  return (
    <Select
      label={label}
      value={String(value)}
      choices={values.map((one) => ({ value: String(one), label: wordsOf(one) }))}
      onChange={(text) => {
        const chosen = values.find((one) => String(one) === text);
        if (chosen !== undefined) onChange(chosen);
      }}
    />
  );
}

/** How long sessions are kept, how much room they take, and the deletion of all of them. */
export function KeptFacts() {
  const trpc = useTRPC();
  const settings = useQuery(trpc.settings.get.queryOptions());
  const renew = useRenew();
  const update = useMutation(
    trpc.settings.update.mutationOptions({ onSuccess: renew, onError: failed('Nothing was changed') }),
  );
  if (settings.isError) {
    return (
      <ErrorState
        title="What is kept could not be read"
        failure={failureOf(settings.error)}
        retry={() => void settings.refetch()}
      />
    );
  }
  if (settings.data === undefined) return <Loading what="what is kept" />;
  const { retention, overdue, databaseBytes, freeBytes } = settings.data;
  return (
    <Facts
      facts={[
        [
          'Retention',
          <span key="r" className="flex flex-wrap items-center gap-2">
            <RetentionSelect
              label="Keep sessions"
              value={retention}
              offered={['forever', ...DAYS]}
              onChange={(chosen) => update.mutate({ retention: chosen })}
            />
            <span className="text-sm text-faint">{retentionNote(retention, overdue)}</span>
          </span>,
        ],
        [
          'On disk',
          `${byteSize(databaseBytes)}${freeBytes === null ? '' : `; ${byteSize(freeBytes)} are free there`}`,
        ],
        ['Everything', <DeleteArchive key="d" settings={settings.data} />],
      ]}
    />
  );
}

function retentionNote(retention: WireAccountSettings['retention'], overdue: number): string {
  if (overdue > 0)
    return `${integer(overdue)} session${overdue === 1 ? ' is' : 's are'} older. The first go an hour after this was set.`;
  return retention === 'forever' ? 'Everything is kept until you delete it' : 'since a session was last seen';
}

function DeleteArchive({ settings }: { readonly settings: WireAccountSettings }) {
  const trpc = useTRPC();
  const [isSure, setSure] = useState(false);
  const renew = useRenew();
  const undo = useMutation(trpc.settings.undoArchiveDeletion.mutationOptions({ onSettled: renew }));
  const remove = useMutation(
    trpc.settings.planArchiveDeletion.mutationOptions({
      onSuccess: ({ deletesAt }) => {
        setSure(false);
        announce('The whole archive is being deleted', '', deletesAt, renew, () => undo.mutate());
      },
      onError: failed('The archive was not deleted'),
    }),
  );
  if (settings.deletesAt !== null) return <Leaving undo={() => undo.mutate()} />;
  if (!isSure) {
    return (
      <Button size="small" look="danger" onClick={() => setSure(true)}>
        Delete everything…
      </Button>
    );
  }
  return (
    <span className="flex flex-wrap items-center gap-2">
      <span>Every session, project and request goes.</span>
      <Button size="small" look="danger" onClick={() => remove.mutate()}>
        Delete all of it
      </Button>
      <Button size="small" onClick={() => setSure(false)}>
        Keep it
      </Button>
    </span>
  );
}

/** Every project with how long its sessions are kept, and its deletion. */
export function ProjectList() {
  const trpc = useTRPC();
  const projects = useQuery(trpc.projects.list.queryOptions());
  if (projects.isError) {
    return (
      <ErrorState
        title="The projects could not be read"
        failure={failureOf(projects.error)}
        retry={() => void projects.refetch()}
      />
    );
  }
  if (projects.data === undefined) return <Loading what="projects" />;
  if (projects.data.items.length === 0)
    return <p className="px-4 py-1 text-faint">None yet. One appears with the first session in it.</p>;
  return (
    <ul className="px-4">
      {projects.data.items.map((project) => (
        <ProjectRow key={project.id} project={project} />
      ))}
    </ul>
  );
}

function ProjectRow({ project }: { readonly project: WireProject }) {
  const trpc = useTRPC();
  const renew = useRenew();
  const { id, name, sessions } = project;
  const [isOpen, setOpen] = useState(false);
  const undo = useMutation(trpc.projects.undoDeletion.mutationOptions({ onSettled: renew }));
  const update = useMutation(
    trpc.projects.update.mutationOptions({ onSuccess: renew, onError: failed('Nothing was changed') }),
  );
  const remove = useMutation(
    trpc.projects.planDeletion.mutationOptions({
      onSuccess: ({ deletesAt }) =>
        announce('The project is being deleted', name, deletesAt, renew, () => undo.mutate({ id })),
      onError: failed('The project was not deleted'),
    }),
  );
  return (
    <li className="flex flex-wrap items-center gap-2 border-b border-line py-1 last:border-0">
      <span className="min-w-0 flex-1 truncate" title={name}>
        {name}
        <span className="ml-2 text-sm text-faint">
          {integer(sessions)} session{sessions === 1 ? '' : 's'}
        </span>
      </span>
      {project.deletesAt === null ? (
        <>
          <Button
            size="small"
            aria-expanded={isOpen}
            aria-label={`Recall in ${name}`}
            onClick={() => setOpen(!isOpen)}
          >
            Recall
          </Button>
          <RetentionSelect
            label={`Keep sessions of ${name}`}
            value={project.retention}
            offered={['account', 'forever', ...DAYS]}
            onChange={(retention) => update.mutate({ id, retention })}
          />
          <Button
            size="small"
            look="danger"
            aria-label={`Delete project ${name}`}
            onClick={() => remove.mutate({ id })}
          >
            Delete
          </Button>
        </>
      ) : (
        <Leaving undo={() => undo.mutate({ id })} />
      )}
      {isOpen ? <ProjectRecall id={id} name={name} /> : null}
    </li>
  );
}

/** That something goes, with the way back. It also stands after a reload. */
function Leaving({ undo }: { readonly undo: () => void }): ReactNode {
  return (
    <span className="flex items-center gap-2">
      <span className="text-sm text-bad">is being deleted</span>
      <Button size="small" onClick={undo}>
        Undo
      </Button>
    </span>
  );
}

function useRenew(): () => void {
  const trpc = useTRPC();
  const queries = useQueryClient();
  return () => {
    for (const queryKey of [trpc.projects.pathKey(), trpc.settings.pathKey(), trpc.sessions.pathKey()])
      void queries.invalidateQueries({ queryKey });
  };
}

function announce(title: string, text: string, deletesAt: string, renew: () => void, undo: () => void): void {
  renew();
  const ms = Math.max(0, Date.parse(deletesAt) - systemClock.now());
  notify({ title, text, ms, undo: { label: 'Undo', run: undo } });
}

function failed(title: string): (thrown: unknown) => void {
  return (thrown) => {
    const { message, hint } = failureOf(thrown);
    notify({ title, text: `${message} ${hint}`, tone: 'bad', ms: 0 });
  };
}
