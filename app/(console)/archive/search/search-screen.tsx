'use client';

import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useQueryStates } from 'nuqs';
import { useCallback, useMemo } from 'react';
import { integer } from '@/app/_lib/format.ts';
import { useKeys, walkRows } from '@/app/_lib/keys.tsx';
import { useNow } from '@/app/_lib/now.tsx';
import { useSettled } from '@/app/_lib/settled.ts';
import { failureOf, isAnswer, useTRPC } from '@/app/_lib/trpc.tsx';
import { Icon } from '@/app/_ui/icon.tsx';
import { EmptyState, ErrorState, Loading } from '@/app/_ui/states.tsx';
import type { WireSearchHit } from '@/server/api/index.ts';
import { Page } from '../../_frame/page.tsx';
import { DocumentPane } from '../_document/document-pane.tsx';
import { CLOSED, openedAt, placeAddress } from '../_document/document-state.ts';
import { ExportMenu } from '../_filters/export-menu.tsx';
import { FilterBar } from './filter-bar.tsx';
import { HitList } from './hit-list.tsx';
import { isNarrowed, SCREEN_STATE, searchOf } from './search-state.ts';
import { HowToSearch, NoHits } from './states.tsx';

const ARCHIVE = { href: '/archive', label: 'Archive' };
/** Milliseconds that the words must rest before they are looked for. */
const REST_MS = 200;
/** Hits that are asked for at once. */
const PAGE = 30;

/** Search over everything: words and filters in the address, hits below, the document of one at the right. */
export function SearchScreen() {
  const [state, setState] = useQueryStates(SCREEN_STATE, { history: 'replace', throttleMs: 150 });
  const asked = searchOf(state, useNow());
  const found = useHits(asked);
  const hits = useMemo(() => found.data?.pages.flatMap((page) => page.items) ?? [], [found.data]);
  const selected = hits.find((hit) => hit.docid === state.doc && offsetOf(hit) === state.off) ?? null;
  const open = useCallback(
    (hit: WireSearchHit) => void setState(openedAt(hit.docid, offsetOf(hit), firstMark(hit))),
    [setState],
  );
  const router = useRouter();
  const step = (by: 1 | -1) => (event: KeyboardEvent) => {
    event.preventDefault();
    walkRows(by);
  };
  useKeys([
    ['j', step(1)],
    ['k', step(-1)],
    ['ArrowDown', step(1)],
    ['ArrowUp', step(-1)],
    [
      't',
      () => {
        if (selected !== null) router.push(placeAddress(selected.sessionId, selected.seq, selected.docid));
      },
    ],
  ]);
  return (
    <Page
      title="Search"
      parent={ARCHIVE}
      aside={<Count found={found} asked={state.q} hits={hits.length} />}
      actions={<ExportMenu kind="search" what="Hits" query={asked} />}
    >
      <div className="relative flex min-h-0 flex-1">
        <div className="flex min-w-0 flex-1 flex-col">
          <FilterBar state={state} onChange={(next) => void setState({ ...next, ...CLOSED })} />
          <Results found={found} state={state} hits={hits} selected={selected} onOpen={open} />
        </div>
        {state.doc === null ? null : (
          <DocumentPane docid={state.doc} words="" place={selected} onClose={() => void setState(CLOSED)} />
        )}
      </div>
    </Page>
  );
}

type State = ReturnType<typeof useQueryStates<typeof SCREEN_STATE>>[0];
type Found = ReturnType<typeof useHits>;

function useHits(asked: ReturnType<typeof searchOf>) {
  const trpc = useTRPC();
  const input = JSON.parse(useSettled(JSON.stringify(asked), REST_MS)) as typeof asked;
  return useInfiniteQuery(
    trpc.search.find.infiniteQueryOptions(
      { limit: PAGE, ...(input ?? { q: '' }) },
      {
        enabled: input !== null,
        getNextPageParam: (page) => page.next,
        placeholderData: keepPreviousData,
        staleTime: 30_000,
      },
    ),
  );
}

function Results(props: {
  readonly found: Found;
  readonly state: State;
  readonly hits: readonly WireSearchHit[];
  readonly selected: WireSearchHit | null;
  readonly onOpen: (hit: WireSearchHit) => void;
}) {
  const { found, state, hits, selected, onOpen } = props;
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = found;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  if (state.q.trim() === '') return <HowToSearch />;
  if (found.isError && (hits.length === 0 || found.isPlaceholderData)) {
    const failure = failureOf(found.error);
    return isAnswer(found.error) ? (
      <EmptyState title={failure.message}>
        <p>{failure.hint}</p>
      </EmptyState>
    ) : (
      <ErrorState title="This search got no answer" failure={failure} retry={() => void found.refetch()} />
    );
  }
  if (found.data === undefined) return <Loading what="hits" />;
  const notes = <Notes notes={found.data.pages[0]?.notes ?? []} />;
  if (hits.length === 0)
    return (
      <>
        {notes}
        <NoHits words={state.q} narrowed={isNarrowed(state)} />
      </>
    );
  return (
    <HitList
      hits={hits}
      selected={selected}
      dimmed={found.isPlaceholderData}
      onOpen={onOpen}
      onEnd={more}
      before={notes}
      after={
        <p role="status" className="px-4 py-3 text-faint empty:hidden">
          {isFetchingNextPage ? 'Loading more hits…' : found.isError ? failureOf(found.error).message : ''}
        </p>
      }
    />
  );
}

/** What should be known of how the answer came about. */
function Notes({ notes }: { readonly notes: readonly string[] }) {
  return notes.map((note) => (
    <p key={note} className="flex gap-2 border-b border-line bg-surface px-4 py-1.5 text-sm text-soft">
      <Icon name="help" className="mt-px shrink-0 text-faint" />
      {note}
    </p>
  ));
}

function Count(props: { readonly found: Found; readonly asked: string; readonly hits: number }) {
  const { found, asked, hits } = props;
  const isKnown = asked.trim() !== '' && found.data !== undefined && !found.isPlaceholderData;
  return (
    <p role="status" className="pl-1 text-sm whitespace-nowrap text-faint">
      {isKnown ? `${integer(hits)}${found.hasNextPage ? '+' : ''} ${hits === 1 ? 'hit' : 'hits'}` : ''}
    </p>
  );
}

/** Where the document must be opened; null where the match stands in a call's input, which is shown above its result. */
function offsetOf(hit: WireSearchHit): number | null {
  return hit.kind === 'tool_call' ? null : hit.offset;
}

/** The words that were matched first, as they stand. */
function firstMark({ snippet }: WireSearchHit): string {
  const [from, to] = snippet.marks[0] ?? [0, 0];
  return snippet.text.slice(from, to);
}
