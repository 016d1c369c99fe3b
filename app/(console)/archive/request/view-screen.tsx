'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { parseAsArrayOf, parseAsInteger, useQueryStates } from 'nuqs';
import { useEffect } from 'react';
import { failureOf, useTRPC } from '@/app/_lib/trpc.tsx';
import { buttonClass } from '@/app/_ui/button.tsx';
import { EmptyState, ErrorState, Loading } from '@/app/_ui/states.tsx';
import type { WireViews } from '@/server/api/index.ts';
import { Page } from '../../_frame/page.tsx';
import { DocumentPane } from '../_document/document-pane.tsx';
import { CLOSED, DOCUMENT_STATE, openedAt } from '../_document/document-state.ts';
import { Sides } from './sides.tsx';
import { Summary } from './summary.tsx';

const STATE = { open: parseAsArrayOf(parseAsInteger).withDefault([]), ...DOCUMENT_STATE };

/** What the model saw of a request, beside what its agent sent. What is open stands in the address. */
export function ViewScreen({ id }: { readonly id: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.views.get.queryOptions({ id }));
  const views = query.data;
  useEffect(() => {
    document.title = 'What the model saw · Context Mode';
  }, []);
  return (
    <Page
      title="What the model saw"
      parent={parentOf(views)}
      actions={views === undefined || views.sessionId === null ? null : <ToRequest views={views} />}
    >
      {query.isError ? (
        <ErrorState
          title="This request cannot be shown"
          failure={failureOf(query.error)}
          retry={() => void query.refetch()}
        />
      ) : views === undefined ? (
        <Loading what="the request" />
      ) : (
        <Views views={views} />
      )}
    </Page>
  );
}

function parentOf(views: WireViews | undefined) {
  if (views === undefined || views.sessionId === null) return { href: '/archive', label: 'Archive' };
  return { href: `/archive/${views.sessionId}?tab=requests`, label: 'Session' };
}

function ToRequest({ views }: { readonly views: WireViews }) {
  return (
    <Link
      href={`/archive/${views.sessionId}?tab=requests&request=${views.id}`}
      className={buttonClass({}, 'max-sm:hidden')}
    >
      The request
    </Link>
  );
}

function Views({ views }: { readonly views: WireViews }) {
  const [state, setState] = useQueryStates(STATE, { history: 'replace' });
  return (
    <div className="relative flex min-h-0 flex-1">
      <div className="flex min-w-0 flex-1 flex-col">
        <Summary views={views} />
        {views.parts.length === 0 ? (
          <EmptyState title="No message of this request is in the archive">
            <p>
              It carried no conversation, or it was deleted, or it has not been archived yet. Its times and
              tokens stand in the list of requests.
            </p>
          </EmptyState>
        ) : (
          <Sides
            views={views}
            open={state.open}
            onOpen={(open) => void setState({ open: open.length === 0 ? null : [...open] })}
            onDocument={(docid) => void setState(openedAt(docid))}
          />
        )}
      </div>
      {state.doc === null ? null : (
        <DocumentPane docid={state.doc} words="" onClose={() => void setState(CLOSED)} />
      )}
    </div>
  );
}
