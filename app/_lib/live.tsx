'use client';

import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { useTRPC, useTRPCClient } from './trpc.tsx';

/** How the line over which news comes stands. */
export type LiveState = 'connecting' | 'live' | 'lost';

const LiveContext = createContext<LiveState>('connecting');

/** Whether news arrives by itself at this moment. */
export const useLiveState = (): LiveState => useContext(LiveContext);

/** Milliseconds in which news is gathered before the lists ask again: a streaming agent must not make them flicker. */
const GATHER_MS = 250;

/** True for a part of a changed session's log that can still grow: a part that is full never changes. */
function isOpenPage(
  queryKey: readonly unknown[],
  data: unknown,
  changed: readonly (string | null)[],
): boolean {
  const { input } = (queryKey[1] ?? {}) as { input?: { limit?: number } };
  if (input === undefined || !changed.includes(sessionOf(queryKey))) return false;
  const showing = (data as { showing?: number } | undefined)?.showing;
  return input.limit === 1 || showing !== input.limit;
}

/** The session that a question is about; the empty text where it is about none. */
function sessionOf(queryKey: readonly unknown[]): string {
  const { input } = (queryKey[1] ?? {}) as { input?: { id?: string } };
  return input?.id ?? '';
}

/** Listens for news and makes the lists on the screen ask again. */
export function LiveProvider({ children }: { readonly children: ReactNode }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const [state, setState] = useState<LiveState>('connecting');

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    const refresh = () => {
      timer = null;
      const changed = news.splice(0);
      for (const key of [
        trpc.sessions.list.pathKey(),
        trpc.sessions.get.pathKey(),
        trpc.sessions.projects.pathKey(),
        trpc.projects.pathKey(),
        trpc.settings.pathKey(),
      ]) {
        void queries.invalidateQueries({ queryKey: key });
      }
      void queries.invalidateQueries({
        queryKey: trpc.sessions.log.pathKey(),
        predicate: ({ queryKey, state }) =>
          changed.includes('all') || isOpenPage(queryKey, state.data, changed),
      });
      void queries.invalidateQueries({
        queryKey: trpc.sessions.matches.pathKey(),
        predicate: ({ queryKey }) => changed.includes('all') || changed.includes(sessionOf(queryKey)),
      });
      void queries.invalidateQueries({ queryKey: trpc.requests.pathKey() });
      void queries.invalidateQueries({ queryKey: trpc.status.connections.queryKey() });
    };
    const news: (string | null)[] = [];
    const soon = (sessionIds: readonly (string | null)[]) => {
      news.push(...sessionIds);
      timer ??= setTimeout(refresh, GATHER_MS);
    };
    let wasLost = false;
    const line = client.live.events.subscribe(undefined, {
      onData: (message) => {
        setState('live');
        if (message.kind === 'changed') soon(message.sessionIds);
        else if (wasLost) soon(['all']);
        wasLost = false;
      },
      onConnectionStateChange: (next) => {
        if (next.state === 'pending') return;
        if (next.state === 'connecting' && next.error !== null) {
          wasLost = true;
          setState('lost');
        }
      },
      onError: () => setState('lost'),
    });
    return () => {
      line.unsubscribe();
      if (timer !== null) clearTimeout(timer);
    };
  }, [client, queries, trpc]);

  return <LiveContext value={state}>{children}</LiveContext>;
}
