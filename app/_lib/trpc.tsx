'use client';

import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import {
  createTRPCClient,
  httpBatchStreamLink,
  httpSubscriptionLink,
  splitLink,
  TRPCClientError,
} from '@trpc/client';
import { createTRPCContext } from '@trpc/tanstack-react-query';
import { type ReactNode, useState } from 'react';
import type { Failure } from '@/app/_ui/states.tsx';
import type { AppRouter, PublicError } from '@/server/api/index.ts';

const { TRPCProvider, useTRPC, useTRPCClient } = createTRPCContext<AppRouter>();

export { useTRPC, useTRPCClient };

/** Name of the header in which a page repeats the token of its cookie; the server's guard compares the two. */
const PROOF_HEADER = 'x-context-mode-console';

/** What a screen can tell about a failed call. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof TRPCClientError) {
    const data = thrown.data as { told?: PublicError; requestId?: string } | null | undefined;
    if (data?.told !== undefined) {
      return { message: data.told.message, hint: data.told.hint, requestId: data.requestId ?? '' };
    }
  }
  return {
    message: 'Context Mode does not answer.',
    hint: 'It may have been stopped. Start it again with: npx @context-mode/cli start',
    requestId: '',
  };
}

/** True where the server has understood a call and refused it for what it asks: no fault, and nothing to try again. */
export function isAnswer(thrown: unknown): boolean {
  return (
    thrown instanceof TRPCClientError && (thrown.data as { httpStatus?: number } | null)?.httpStatus === 400
  );
}

/** Only what may heal by itself is tried again; an answer such as "no such session" stands. */
function mayHeal(failures: number, thrown: unknown): boolean {
  if (failures >= 2) return false;
  const status =
    thrown instanceof TRPCClientError
      ? (thrown.data as { httpStatus?: number } | null)?.httpStatus
      : undefined;
  return status === undefined || status >= 500;
}

function makeQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache(),
    defaultOptions: {
      queries: { staleTime: 5_000, retry: mayHeal, retryDelay: (attempt) => 400 * 2 ** attempt },
    },
  });
}

/** Gives the screens their typed calls. `proof` is the token that changing calls must repeat. */
export function ApiProvider({ proof, children }: { readonly proof: string; readonly children: ReactNode }) {
  const [queryClient] = useState(makeQueryClient);
  const [client] = useState(() =>
    createTRPCClient<AppRouter>({
      links: [
        splitLink({
          condition: (operation) => operation.type === 'subscription',
          true: httpSubscriptionLink({ url: '/api/trpc' }),
          false: httpBatchStreamLink({
            url: '/api/trpc',
            headers: { [PROOF_HEADER]: proof },
            maxURLLength: 4000,
          }),
        }),
      ],
    }),
  );
  return (
    <QueryClientProvider client={queryClient}>
      <TRPCProvider trpcClient={client} queryClient={queryClient}>
        {children}
      </TRPCProvider>
    </QueryClientProvider>
  );
}
