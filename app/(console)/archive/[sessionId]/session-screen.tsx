'use client';

import { useQuery } from '@tanstack/react-query';
import { parseAsInteger, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { useCallback, useEffect, useRef } from 'react';
import { AGENT_NAMES, folderName } from '@/app/_lib/agents.ts';
import { failureOf, useTRPC } from '@/app/_lib/trpc.tsx';
import { ErrorState, Loading } from '@/app/_ui/states.tsx';
import { TabPanel, Tabs } from '@/app/_ui/tabs.tsx';
import { Time } from '@/app/_ui/time.tsx';
import type { WireLogRow, WireSession } from '@/server/api/index.ts';
import { Page } from '../../_frame/page.tsx';
import { titleOf } from '../../_sessions/session-table.tsx';
import { DocumentPane } from '../_document/document-pane.tsx';
import { CLOSED, DOCUMENT_STATE, openedAt } from '../_document/document-state.ts';
import { CostView } from './cost/cost-view.tsx';
import { RequestPane } from './requests/request-pane.tsx';
import { RequestTable } from './requests/request-table.tsx';
import { LeavingBanner, SessionActions } from './session-actions.tsx';
import { FindBar } from './transcript/find-bar.tsx';
import { Transcript } from './transcript/transcript.tsx';
import { useHitWalk } from './transcript/use-hits.ts';
import { LayoutPane } from './window/layout-pane.tsx';
import { WindowView } from './window/window-view.tsx';

const TABS = ['transcript', 'window', 'requests', 'cost'] as const;

const STATE = {
  tab: parseAsStringLiteral(TABS).withDefault('transcript'),
  at: parseAsInteger.withDefault(0),
  find: parseAsString.withDefault(''),
  request: parseAsString,
  layout: parseAsString,
  ...DOCUMENT_STATE,
};

const ARCHIVE = { href: '/archive', label: 'Archive' };

/** A session: transcript, window and requests, with one document, layout or request at the right. All of it in the address. */
export function SessionScreen({ sessionId }: { readonly sessionId: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.sessions.get.queryOptions({ id: sessionId }));
  const session = query.data;
  const title = session === undefined ? 'Session' : titleOf(session);
  useEffect(() => {
    document.title = `${title} · Context Mode`;
  }, [title]);
  return (
    <Page
      title={title}
      parent={ARCHIVE}
      aside={session === undefined ? null : <Summary session={session} />}
      actions={session === undefined ? null : <SessionActions session={session} />}
    >
      {query.isError ? (
        <ErrorState
          title="This session cannot be shown"
          failure={failureOf(query.error)}
          retry={() => void query.refetch()}
        />
      ) : session === undefined ? (
        <Loading what="the session" />
      ) : (
        <>
          {session.deletesAt === null ? null : <LeavingBanner session={session} />}
          <Views session={session} />
        </>
      )}
    </Page>
  );
}

/** The position that the end of an address names (`#1200`), once and again whenever it changes. */
function useNamedPosition(goTo: (seq: number) => void): void {
  const latest = useRef(goTo);
  useEffect(() => {
    latest.current = goTo;
  });
  useEffect(() => {
    const follow = () => {
      const seq = /^#(\d{1,9})$/.exec(window.location.hash)?.[1];
      if (seq === undefined) return;
      window.history.replaceState(
        window.history.state,
        '',
        window.location.pathname + window.location.search,
      );
      latest.current(Number(seq));
    };
    follow();
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
  }, []);
}

function Views({ session }: { readonly session: WireSession }) {
  const [state, setState] = useQueryStates(STATE, { history: 'replace' });
  useNamedPosition((at) => void setState({ at }));
  const walk = useHitWalk(session.id, state.find, state.at, (at) => void setState({ at }));
  const { arrive, select } = walk;
  const openDocument = useCallback(
    (row: WireLogRow) => {
      if (row.docid !== null) void setState(openedAt(row.docid));
      arrive(row.seq);
    },
    [setState, arrive],
  );
  const counted = (words: string, count: number) => (
    <span>
      {words} <span className="text-faint">{count}</span>
    </span>
  );
  return (
    <div className="relative flex min-h-0 flex-1">
      <div className="flex min-w-0 flex-1 flex-col">
        <Tabs
          label="Views of the session"
          value={state.tab}
          onChange={(tab) => void setState({ tab, ...CLOSED, request: null, layout: null })}
          tabs={[
            { value: 'transcript', label: 'Transcript' },
            { value: 'window', label: 'Window' },
            { value: 'requests', label: counted('Requests', session.requests) },
            { value: 'cost', label: 'Cost' },
          ]}
          aside={
            state.tab === 'transcript' ? (
              <FindBar words={state.find} onWords={(find) => void setState({ find })} walk={walk} />
            ) : null
          }
        >
          <TabPanel value="transcript">
            <Transcript
              sessionId={session.id}
              at={state.at}
              onSelect={select}
              onArrive={arrive}
              find={state.find}
              hit={walk.hit}
              onHop={walk.hop}
              onDocument={openDocument}
            />
          </TabPanel>
          <TabPanel value="window">
            <WindowView
              sessionId={session.id}
              selected={state.layout}
              onOpen={(layout) => void setState({ layout })}
            />
          </TabPanel>
          <TabPanel value="requests">
            <RequestTable sessionId={session.id} selected={state.request} />
          </TabPanel>
          <TabPanel value="cost">
            <CostView sessionId={session.id} />
          </TabPanel>
        </Tabs>
      </div>
      {state.doc === null ? null : (
        <DocumentPane
          docid={state.doc}
          words={state.find}
          here={session.id}
          onClose={() => void setState(CLOSED)}
        />
      )}
      {state.layout === null || state.tab !== 'window' ? null : (
        <LayoutPane
          key={state.layout}
          sessionId={session.id}
          message={state.layout}
          onClose={() => void setState({ layout: null })}
        />
      )}
      {state.request === null || state.tab !== 'requests' ? null : (
        <RequestPane id={state.request} onClose={() => void setState({ request: null })} />
      )}
    </div>
  );
}

/** Agent, place and last sign of life, beside the title where there is room. */
function Summary({ session }: { readonly session: WireSession }) {
  const { worktree, project } = session;
  return (
    <p className="flex min-w-0 items-center gap-2 pl-1 text-sm whitespace-nowrap text-faint max-lg:hidden">
      <span>{AGENT_NAMES[session.agent]}</span>
      {project === null ? null : (
        <span className="truncate" title={worktree?.path}>
          · {project.name === '' && worktree !== null ? folderName(worktree.path) : project.name}
          {worktree?.branch ? <span className="font-mono text-xs"> {worktree.branch}</span> : null}
        </span>
      )}
      <span>
        · <Time iso={session.lastSeenAt} />
      </span>
    </p>
  );
}
