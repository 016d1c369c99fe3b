'use client';

import { useQuery } from '@tanstack/react-query';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { failureOf, useTRPC } from '@/app/_lib/trpc.tsx';
import { Badge } from '@/app/_ui/badge.tsx';
import { buttonClass } from '@/app/_ui/button.tsx';
import { CopyButton } from '@/app/_ui/copy-button.tsx';
import { Icon } from '@/app/_ui/icon.tsx';
import { Num } from '@/app/_ui/number.tsx';
import { Facts, Pane } from '@/app/_ui/pane.tsx';
import { ErrorState, Loading } from '@/app/_ui/states.tsx';
import { TabPanel, Tabs } from '@/app/_ui/tabs.tsx';
import { Time } from '@/app/_ui/time.tsx';
import type { WireDocument } from '@/server/api/index.ts';
import { Exact } from './exact.tsx';
import { MediaList } from './media.tsx';
import { Readable } from './readable.tsx';

const VIEWS = ['readable', 'exact', 'facts'] as const;
const TABS = [
  { value: 'readable', label: 'Readable' },
  { value: 'exact', label: 'Exact' },
  { value: 'facts', label: 'Facts' },
] as const;

const KINDS: Readonly<Record<string, string>> = {
  input: 'Typed words',
  injected: 'Text added by the agent',
  system: 'System text',
  answer: 'Answer',
  reasoning: 'Reasoning',
  tool_call: 'Tool call',
  tool_result: 'Tool result',
  image: 'Image',
  file: 'File',
  compaction: 'Summary by the agent',
};

/** One document at the right of its transcript: to read, and exactly. */
export function DocumentPane({
  docid,
  find,
  onClose,
}: {
  readonly docid: string;
  readonly find: string;
  readonly onClose: () => void;
}) {
  const trpc = useTRPC();
  const query = useQuery(trpc.documents.get.queryOptions({ docid }, { staleTime: Number.POSITIVE_INFINITY }));
  const [view, setView] = useQueryState('view', parseAsStringLiteral(VIEWS).withDefault('readable'));
  const found = query.data;
  return (
    <Pane
      label="Document"
      title={found === undefined ? 'Document' : titleOf(found)}
      onClose={onClose}
      actions={
        found === undefined ? null : (
          <>
            <CopyButton text={found.text} what="the text" />
            <a
              href={`/api/v1/documents/${found.docid}/raw`}
              download
              aria-label="Download the exact bytes"
              title="Download the exact bytes"
              className={buttonClass({ look: 'quiet', size: 'tiny' })}
            >
              <Icon name="download" />
            </a>
          </>
        )
      }
    >
      {query.isError ? (
        <ErrorState
          title="This document could not be read"
          failure={failureOf(query.error)}
          retry={() => void query.refetch()}
        />
      ) : found === undefined ? (
        <Loading what="the document" />
      ) : (
        <>
          <Standing found={found} />
          <Tabs
            label="Views of the document"
            tabs={TABS}
            value={view}
            onChange={(next) => void setView(next)}
          >
            <TabPanel value="readable">
              <Readable first={found} find={find} />
            </TabPanel>
            <TabPanel value="exact">
              <Exact docid={found.docid} />
            </TabPanel>
            <TabPanel value="facts">
              <DocumentFacts found={found} />
            </TabPanel>
          </Tabs>
        </>
      )}
    </Pane>
  );
}

function titleOf(found: WireDocument): string {
  const kind = KINDS[found.kind] ?? 'Document';
  return found.tool === null ? kind : `${kind}: ${found.tool}`;
}

/** What a reader must know before trusting the text: is it whole, is it the real text. */
function Standing({ found }: { readonly found: WireDocument }) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 pt-2 text-sm text-soft">
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

function DocumentFacts({ found }: { readonly found: WireDocument }) {
  return (
    <Facts
      facts={[
        ['Id', <Copied key="id" text={found.docid} what="the id" />],
        ['SHA-256', <Copied key="sha" text={found.sha256} what="the hash" />],
        ['Bytes', <Num key="bytes" value={found.bytes} />],
        ['Characters', <Num key="characters" value={found.length} />],
        ['Kind', KINDS[found.kind] ?? found.kind],
        ['Role', found.role],
        ...(found.tool === null ? [] : ([['Tool', <code key="tool">{found.tool}</code>]] as const)),
        ['Position', <Num key="seq" value={found.seq} />],
        ['First seen', <Time key="at" iso={found.at} as="moment" />],
        ...(found.durationMs === null
          ? []
          : ([['Ran', <Num key="ran" value={found.durationMs} as="ms" />]] as const)),
        ['Confirmed', found.confirmed ? 'Read back from the database; the hash is the same' : 'Not yet'],
        ['Masked', found.masked ? 'Yes: parts are not the real text' : 'No'],
        ...(found.place === null
          ? []
          : ([
              ['Project', found.place.project],
              ['Folder', <code key="folder">{found.place.path}</code>],
              ['Branch', found.place.branch ?? 'not stated'],
            ] as const)),
      ]}
    />
  );
}

function Copied({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <span className="flex items-start gap-1">
      <code className="min-w-0 pt-0.5 break-all">{text}</code>
      <CopyButton text={text} what={what} />
    </span>
  );
}
