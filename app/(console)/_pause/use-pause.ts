'use client';

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { failureOf, useTRPC } from '@/app/_lib/trpc.tsx';
import { notify } from '@/app/_ui/toast.tsx';
import type { WirePause } from '@/server/api/index.ts';

/** The pause as a screen has it: what is on (undefined: not known), and what changes it. */
export interface PauseHandle {
  readonly pause: WirePause | undefined;
  /** @param seconds how long; left out: until somebody ends it */
  begin(seconds?: number): void;
  end(): void;
}

/** The pause of the gateway, asked again every few seconds: it may have been begun or ended elsewhere. */
export function usePause(): PauseHandle {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const { data } = useQuery(trpc.pause.get.queryOptions(undefined, { refetchInterval: 5_000 }));
  const options = {
    onSuccess: () => void queries.invalidateQueries({ queryKey: trpc.pause.pathKey() }),
    onError: (thrown: unknown) => {
      const { message, hint } = failureOf(thrown);
      notify({ title: 'Nothing was changed', text: `${message} ${hint}`, tone: 'bad' as const, ms: 0 });
    },
  };
  const begun = useMutation(trpc.pause.begin.mutationOptions(options));
  const ended = useMutation(trpc.pause.end.mutationOptions(options));
  return {
    pause: data?.pause,
    begin: (seconds) => begun.mutate(seconds === undefined ? {} : { seconds }),
    end: () => ended.mutate(),
  };
}
