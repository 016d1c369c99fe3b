'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { failureOf, useTRPC } from '@/app/_lib/trpc.tsx';
import { Button, buttonClass } from '@/app/_ui/button.tsx';
import { Icon } from '@/app/_ui/icon.tsx';
import { Menu, MenuItem, MenuLink } from '@/app/_ui/menu.tsx';
import { notify } from '@/app/_ui/toast.tsx';
import type { WireSession } from '@/server/api/index.ts';
import { systemClock } from '@/server/kernel/clock.ts';
import { titleOf, useUndoDeletion } from '../../_sessions/session-table.tsx';
import { searchAddress } from '../search/search-state.ts';

/** What can be done with a session. */
export function SessionActions({ session }: { readonly session: WireSession }) {
  const remove = useDeletion(session);
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label="Session actions"
          title="Session actions"
          className={buttonClass({ look: 'quiet', size: 'square' })}
        >
          <Icon name="more" />
        </button>
      }
    >
      <MenuLink href={searchAddress({ session: session.id })}>
        <Icon name="search" /> Search in this session, best first
      </MenuLink>
      <MenuLink href={`/api/v1/export/session?id=${session.id}`} download>
        <Icon name="download" /> Export as JSON Lines
      </MenuLink>
      <MenuItem onClick={() => void navigator.clipboard.writeText(session.clientSessionId ?? session.id)}>
        <Icon name="copy" /> Copy the agent's session id
      </MenuItem>
      {session.deletesAt === null ? (
        <MenuItem danger onClick={() => remove.mutate({ id: session.id })}>
          <Icon name="trash" /> Delete session
        </MenuItem>
      ) : null}
    </Menu>
  );
}

function useDeletion(session: WireSession) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const undo = useUndoDeletion();
  const renew = () => void queries.invalidateQueries({ queryKey: trpc.sessions.pathKey() });
  return useMutation(
    trpc.sessions.planDeletion.mutationOptions({
      onSuccess: ({ deletesAt }) => {
        renew();
        const ms = Math.max(0, Date.parse(deletesAt) - systemClock.now());
        setTimeout(renew, ms + 400);
        notify({
          title: 'The session is being deleted',
          text: titleOf(session),
          ms,
          undo: { label: 'Undo', run: () => undo.mutate({ id: session.id }) },
        });
      },
      onError: (thrown) => {
        const { message, hint } = failureOf(thrown);
        notify({ title: 'The session was not deleted', text: `${message} ${hint}`, tone: 'bad', ms: 0 });
      },
    }),
  );
}

/** Says that the session goes, counts down, and takes it back. It also stands after a reload. */
export function LeavingBanner({ session }: { readonly session: WireSession }) {
  const undo = useUndoDeletion();
  const due = Date.parse(session.deletesAt ?? '');
  const [now, setNow] = useState(due);
  useEffect(() => {
    const tick = () => setNow(systemClock.now());
    tick();
    const timer = setInterval(tick, 500);
    return () => clearInterval(timer);
  }, []);
  return (
    <div className="flex h-10 shrink-0 items-center gap-3 bg-bad-soft px-4">
      <p className="text-bad">
        This session and everything that only it refers to will be deleted in{' '}
        {Math.max(0, Math.ceil((due - now) / 1000))} s.
      </p>
      <Button size="small" onClick={() => undo.mutate({ id: session.id })}>
        Undo
      </Button>
    </div>
  );
}
