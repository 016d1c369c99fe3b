'use client';

import { useQuery } from '@tanstack/react-query';
import { failureOf, useTRPC } from '@/app/_lib/trpc.tsx';
import { ErrorState, Loading } from '@/app/_ui/states.tsx';
import { Well, Words } from '@/app/_ui/words.tsx';
import type { WireViews } from '@/server/api/index.ts';
import { KeptText } from '../../_recall/kept-text.tsx';
import type { OursPart } from './lines.ts';

/** The text of a piece of ours, where it stands with the model. */
export function OursText({ views, part }: { readonly views: WireViews; readonly part: OursPart }) {
  return (
    <div className="grid grid-cols-1 border-b border-line md:grid-cols-2">
      <div className="max-md:hidden" />
      <div className="min-w-0 border-line px-4 pb-2 md:border-l">
        {part.what === 'hidden_round' ? (
          <HiddenCalls id={views.id} record={part.record ?? ''} />
        ) : part.what === 'index' || part.what === 'memory' ? (
          <LayoutText views={views} what={part.what} />
        ) : (
          <p className="pt-1 text-soft">
            {part.what === 'head'
              ? 'Project instructions, environment, skills and tool lists: they stand in the messages that are left out, and stay in view in their own bytes.'
              : 'The definition of context-mode-search stands last in the list of tools, the same bytes in every request of the conversation.'}
          </p>
        )}
      </div>
    </div>
  );
}

function LayoutText({ views, what }: { readonly views: WireViews; readonly what: 'index' | 'memory' }) {
  const trpc = useTRPC();
  const { sessionId, layout } = views;
  const query = useQuery(
    trpc.window.layout.queryOptions(
      { id: sessionId ?? '', message: layout?.message ?? '' },
      { enabled: sessionId !== null && layout !== null, staleTime: Number.POSITIVE_INFINITY },
    ),
  );
  if (query.isError)
    return (
      <ErrorState
        title="The text could not be read"
        failure={failureOf(query.error)}
        retry={() => void query.refetch()}
      />
    );
  if (query.data === undefined) return <Loading what="the text" />;
  return <KeptText text={query.data[what]} masked={what === 'index' ? query.data.masked : 0} />;
}

function HiddenCalls({ id, record }: { readonly id: string; readonly record: string }) {
  const trpc = useTRPC();
  const query = useQuery(
    trpc.views.hidden.queryOptions({ id, record }, { staleTime: Number.POSITIVE_INFINITY }),
  );
  if (query.isError)
    return (
      <ErrorState
        title="The call could not be read"
        failure={failureOf(query.error)}
        retry={() => void query.refetch()}
      />
    );
  if (query.data === undefined) return <Loading what="the call" />;
  if (query.data.calls.length === 0)
    return <p className="pt-1 text-soft">What it showed was deleted, and its content with it.</p>;
  return query.data.calls.map((call) => (
    <div key={`${call.input} ${call.result ?? ''}`}>
      <p className="pt-1 font-mono text-xs break-words">
        context-mode-search <Words text={call.input} />
      </p>
      {call.result === null ? (
        <p className="text-soft">No answer is kept of it.</p>
      ) : (
        <Well label="Answer">
          <Words text={call.result} />
        </Well>
      )}
    </div>
  ));
}
