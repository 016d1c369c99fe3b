'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { parseAsArrayOf, parseAsInteger, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { useEffect } from 'react';
import { failureOf, useTRPC } from '@/app/_lib/trpc.tsx';
import { Button, buttonClass } from '@/app/_ui/button.tsx';
import { EmptyState, ErrorState, Loading } from '@/app/_ui/states.tsx';
import type { WireViews } from '@/server/api/index.ts';
import { Page } from '../../_frame/page.tsx';
import { DocumentPane } from '../_document/document-pane.tsx';
import { CLOSED, DOCUMENT_STATE, openedAt } from '../_document/document-state.ts';
import { Sides } from './sides.tsx';
import { Summary } from './summary.tsx';
import { refusedWords } from './words.ts';

const FORMS = ['second', 'first'] as const;
const STATE = {
  form: parseAsStringLiteral(FORMS).withDefault('second'),
  open: parseAsArrayOf(parseAsInteger).withDefault([]),
  ...DOCUMENT_STATE,
};

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

/** The two forms of a request that was refused at first: which one is shown. */
function Forms(props: {
  readonly refused: string;
  readonly form: (typeof FORMS)[number];
  readonly onForm: (form: (typeof FORMS)[number]) => void;
}) {
  const { refused, form, onForm } = props;
  return (
    <div
      role="note"
      className="flex shrink-0 flex-wrap items-center gap-2 bg-warn-soft px-4 py-1.5 text-warn"
    >
      <span className="mr-auto">
        It was sent in two forms: the provider refused the first {refusedWords(refused)}.
      </span>
      {FORMS.toReversed().map((one) => (
        <Button key={one} size="small" aria-pressed={form === one} onClick={() => onForm(one)}>
          {one === 'first' ? 'First form' : 'Second form'}
        </Button>
      ))}
    </div>
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
  const { again } = views;
  const shown = again === null || state.form === 'first' ? views : { ...views, ...again };
  return (
    <div className="relative flex min-h-0 flex-1">
      <div className="flex min-w-0 flex-1 flex-col">
        {again === null ? null : (
          <Forms
            refused={again.refused}
            form={state.form}
            onForm={(form) => void setState({ form, open: null })}
          />
        )}
        <Summary views={shown} />
        {shown.parts.length === 0 ? (
          <EmptyState title="No message of this request is in the archive">
            <p>
              It carried no conversation, or it was deleted, or it has not been archived yet. Its times and
              tokens stand in the list of requests.
            </p>
          </EmptyState>
        ) : (
          <Sides
            views={shown}
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
