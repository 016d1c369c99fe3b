'use client';

import { useQuery } from '@tanstack/react-query';
import { failureOf, useTRPC } from '@/app/_lib/trpc.tsx';
import { ErrorState, Loading } from '@/app/_ui/states.tsx';
import type { WireRecallState } from '@/server/api/index.ts';
import { RecallFields } from '../_recall/fields.tsx';
import type { Scope } from '../_recall/use-settings.ts';

/** The settings of Recall for the account. */
export function AccountRecall() {
  const trpc = useTRPC();
  return <Fields scope={{ level: 'account' }} query={useQuery(trpc.settings.get.queryOptions())} />;
}

/** The settings of Recall for one project, below its row. */
export function ProjectRecall({ id, name }: { readonly id: string; readonly name: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.projects.settings.queryOptions({ id }));
  return (
    <section aria-label={`Recall in ${name}`} className="-mx-4 w-[calc(100%+32px)] bg-surface">
      <Fields scope={{ level: 'project', id }} query={query} whose={name} />
    </section>
  );
}

interface Query {
  readonly data: WireRecallState | undefined;
  readonly isError: boolean;
  readonly error: unknown;
  refetch(): Promise<unknown>;
}

function Fields(props: { readonly scope: Scope; readonly query: Query; readonly whose?: string }) {
  const { scope, query, whose } = props;
  if (query.data !== undefined)
    return <RecallFields scope={scope} state={query.data} {...(whose === undefined ? {} : { whose })} />;
  if (!query.isError) return <Loading what="the settings of Recall" />;
  return (
    <ErrorState
      title="The settings of Recall could not be read"
      failure={failureOf(query.error)}
      retry={() => void query.refetch()}
    />
  );
}
