'use client';

import Link from 'next/link';
import { useQueryState } from 'nuqs';
import { failureOf } from '@/app/_lib/trpc.tsx';
import { Badge } from '@/app/_ui/badge.tsx';
import { CopyButton } from '@/app/_ui/copy-button.tsx';
import { Num } from '@/app/_ui/number.tsx';
import { ErrorState, Loading } from '@/app/_ui/states.tsx';
import { TabPanel, Tabs } from '@/app/_ui/tabs.tsx';
import { Time } from '@/app/_ui/time.tsx';
import type { WireDocument } from '@/server/api/index.ts';
import { DocumentFacts } from './document-facts.tsx';
import { Changed, Neighbours, type OpenDocument } from './document-links.tsx';
import { DOCUMENT_STATE, placeAddress } from './document-state.ts';
import { Exact } from './exact.tsx';
import { MediaList } from './media.tsx';
import { Readable } from './readable.tsx';
import type { useDocument } from './use-document.ts';
import { type DocumentText, useDocumentText } from './use-document-text.ts';

const TABS = [
  { value: 'readable', label: 'Readable' },
  { value: 'exact', label: 'Exact' },
  { value: 'facts', label: 'Facts' },
] as const;

/** Where a document stands. */
export interface DocumentPlace {
  readonly sessionId: string;
  readonly seq: number;
}

interface ViewProps {
  readonly words: string;
  /** The session of the page around it; null: it stands in none. */
  readonly here: string | null;
  /** Where it was found; null: where it was seen first. */
  readonly place: DocumentPlace | null;
  readonly open: OpenDocument;
}

/** A document in its views, as soon as it is there. */
export function DocumentView(props: ViewProps & { readonly query: ReturnType<typeof useDocument> }) {
  const { query, ...rest } = props;
  if (query.isError) {
    return (
      <ErrorState
        title="This document could not be read"
        failure={failureOf(query.error)}
        retry={() => void query.refetch()}
      />
    );
  }
  if (query.data === undefined) return <Loading what="the document" />;
  return <Views {...rest} found={query.data} />;
}

function Views(props: ViewProps & { readonly found: WireDocument }) {
  const { found, words, here, open } = props;
  const [view, setView] = useQueryState('view', DOCUMENT_STATE.view);
  const [offset] = useQueryState('off', DOCUMENT_STATE.off);
  const text = useDocumentText(found, offset);
  const place = props.place ?? found;
  return (
    <>
      <Standing found={found} text={text} place={place.sessionId === here ? null : place} open={open} />
      <Tabs label="Views of the document" tabs={TABS} value={view} onChange={(next) => void setView(next)}>
        <TabPanel value="readable">
          <Readable found={found} text={text} words={words} />
        </TabPanel>
        <TabPanel value="exact">
          <Exact docid={found.docid} bytes={found.bytes} />
        </TabPanel>
        <TabPanel value="facts">
          <DocumentFacts found={found} here={here} />
        </TabPanel>
      </Tabs>
    </>
  );
}

/** What a reader must know before trusting the text: is it whole, is it the real text. */
function Standing(props: {
  readonly found: WireDocument;
  readonly text: DocumentText;
  readonly place: DocumentPlace | null;
  readonly open: OpenDocument;
}) {
  const { found, text, place, open } = props;
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 px-4 pt-2 text-sm text-soft">
      {found.confirmed ? (
        <Badge tone="good" title="The stored text was read back from the database and its hash compared">
          confirmed
        </Badge>
      ) : (
        <Badge tone="warn" title="The stored text has not been read back and compared yet">
          not confirmed yet
        </Badge>
      )}
      <Num value={found.bytes} as="bytes" />
      <span>
        <Num value={found.length} /> characters
      </span>
      {found.durationMs === null ? null : (
        <span>
          ran <Num value={found.durationMs} as="ms" />
        </span>
      )}
      <Time iso={found.at} as="moment" />
      {place === null ? null : (
        <Link
          href={placeAddress(place.sessionId, place.seq, found.docid)}
          className="text-accent hover:underline"
        >
          In its session
        </Link>
      )}
      {found.sessions.total > 1 ? <span>in {found.sessions.total} sessions</span> : null}
      {text.whole ? <CopyButton text={() => [...text.pieces.values()].join('')} what="the text" /> : null}
      <span className="ml-auto">
        <Neighbours found={found} open={open} />
      </span>
      <Changed found={found} open={open} />
      {found.masked ? (
        <p className="w-full text-warn">
          Parts are masked: a secret or an e-mail address stands here as a mask. This is not the real text;
          read the file before writing it.
        </p>
      ) : null}
      <MediaList media={found.media} />
    </div>
  );
}
