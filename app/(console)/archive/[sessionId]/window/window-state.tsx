'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { tokens } from '@/app/_lib/format.ts';
import { failureOf, useTRPC } from '@/app/_lib/trpc.tsx';
import { Badge } from '@/app/_ui/badge.tsx';
import { Button } from '@/app/_ui/button.tsx';
import { Time } from '@/app/_ui/time.tsx';
import { notify } from '@/app/_ui/toast.tsx';
import type { WireLayout, WireRecallState } from '@/server/api/index.ts';
import { useRecallChange } from '../../../_recall/use-settings.ts';
import { LAYOUT_REASONS } from '../../../_recall/words.ts';

/** What holds for the session now, and what can be done about it. */
export function WindowState({
  sessionId,
  layouts,
  settings,
}: {
  readonly sessionId: string;
  readonly layouts: readonly WireLayout[];
  readonly settings: WireRecallState;
}) {
  const change = useRecallChange({ level: 'session', id: sessionId });
  const undo = useUndo(sessionId);
  const newest = layouts.find(({ thread }) => thread === 'main');
  const held = newest?.content === null ? undefined : newest;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-3">
      <div className="min-w-[240px] flex-1">
        <p className="flex flex-wrap items-center gap-2">
          <strong>{held === undefined ? 'No layout is in force' : 'A layout is in force'}</strong>
          {settings.paused ? <Badge tone="warn">paused</Badge> : null}
          {settings.recall ? null : <Badge tone="warn">Recall is off</Badge>}
        </p>
        <p className="text-soft">
          {held === undefined ? (
            'The model sees what the agent sends.'
          ) : (
            <>
              Made <Time iso={held.at} />, {LAYOUT_REASONS[held.reason] ?? held.reason}:{' '}
              {tokens(held.tokensBefore)} became {tokens(held.tokensAfter)} tokens (estimated).
            </>
          )}
        </p>
      </div>
      <div className="flex gap-2">
        {held === undefined ? null : (
          <Button disabled={undo.isPending} onClick={() => undo.mutate({ id: sessionId })}>
            Take the layout back
          </Button>
        )}
        <Button onClick={() => change({ paused: settings.paused ? null : true })}>
          {settings.paused ? 'Resume' : 'Pause'}
        </Button>
      </div>
    </div>
  );
}

function useUndo(sessionId: string) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  return useMutation(
    trpc.window.undo.mutationOptions({
      onSuccess: ({ undone, reason }) => {
        void queries.invalidateQueries({ queryKey: trpc.window.pathKey() });
        if (undone)
          notify({ title: 'The layout is taken back', text: `From the session's next request on.` });
        else notify({ title: 'The layout stays', text: reason ?? '', tone: 'bad', ms: 0 });
      },
      onError: (thrown) => {
        const { message, hint } = failureOf(thrown);
        notify({ title: 'The layout stays', text: `${message} ${hint}`, tone: 'bad', ms: 0 });
      },
      onSettled: () =>
        void queries.invalidateQueries({ queryKey: trpc.window.settings.queryKey({ id: sessionId }) }),
    }),
  );
}
