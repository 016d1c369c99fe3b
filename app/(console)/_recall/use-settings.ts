'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { failureOf, useTRPC } from '@/app/_lib/trpc.tsx';
import { notify } from '@/app/_ui/toast.tsx';
import type { WireRecallChanges } from '@/server/api/index.ts';

/** Where settings of Recall are said: the account, or one project or session. */
export type Scope =
  | { readonly level: 'account' }
  | { readonly level: 'project'; readonly id: string }
  | { readonly level: 'session'; readonly id: string };

/** Saves a change at a scope, says when it takes effect, and makes what shows settings ask again. */
export function useRecallChange(scope: Scope): (changes: WireRecallChanges) => void {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const options = {
    onSuccess: () => {
      for (const queryKey of [
        trpc.settings.pathKey(),
        trpc.projects.settings.pathKey(),
        trpc.window.settings.pathKey(),
        trpc.window.preview.pathKey(),
      ])
        void queries.invalidateQueries({ queryKey });
      notify({ title: 'Saved', text: 'It takes effect at the next layout.' });
    },
    onError: (thrown: unknown) => {
      const { message, hint } = failureOf(thrown);
      notify({ title: 'Nothing was changed', text: `${message} ${hint}`, tone: 'bad' as const, ms: 0 });
    },
  };
  const account = useMutation(trpc.settings.update.mutationOptions(options));
  const project = useMutation(trpc.projects.update.mutationOptions(options));
  const session = useMutation(trpc.window.updateSettings.mutationOptions(options));
  return ({ paused, ...changes }) => {
    if (scope.level === 'account') account.mutate(changes);
    else if (scope.level === 'project') project.mutate({ id: scope.id, ...changes });
    else session.mutate({ id: scope.id, ...changes, ...(paused === undefined ? {} : { paused }) });
  };
}
