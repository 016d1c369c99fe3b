'use client';

import Link from 'next/link';
import { CopyButton } from '@/app/_ui/copy-button.tsx';
import { Num } from '@/app/_ui/number.tsx';
import { Facts } from '@/app/_ui/pane.tsx';
import { ScrollRegion } from '@/app/_ui/scroll-region.tsx';
import { Time } from '@/app/_ui/time.tsx';
import type { WireDocument } from '@/server/api/index.ts';
import { placeAddress } from './document-state.ts';
import { KIND_NAMES } from './kinds.ts';

/** Everything that is known of a document beside its text. */
export function DocumentFacts({
  found,
  here,
}: {
  readonly found: WireDocument;
  /** The session of the page around it, to which no way leads; null: it stands in none. */
  readonly here: string | null;
}) {
  return (
    <ScrollRegion label="Facts of the document" className="min-h-0 flex-1 overflow-auto">
      <Facts
        facts={[
          ['Id', <Copied key="id" text={found.docid} what="the id" />],
          ['SHA-256', <Copied key="sha" text={found.sha256} what="the hash" />],
          ['Bytes', <Num key="bytes" value={found.bytes} />],
          ['Characters', <Num key="characters" value={found.length} />],
          ['Kind', KIND_NAMES[found.kind] ?? found.kind],
          ['Role', found.role],
          ...(found.tool === null ? [] : ([['Tool', <code key="tool">{found.tool}</code>]] as const)),
          [
            'Position',
            found.resultSeq === null ? (
              <Num key="seq" value={found.seq} />
            ) : (
              <span key="seq">
                call <Num value={found.seq} />, result <Num value={found.resultSeq} />
              </span>
            ),
          ],
          ['Stands in', <Sessions key="sessions" found={found} here={here} />],
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
    </ScrollRegion>
  );
}

/** The sessions whose logs hold it: the same beginning is shared by what was forked. */
function Sessions({ found, here }: { readonly found: WireDocument; readonly here: string | null }) {
  const { total, items } = found.sessions;
  return (
    <ul>
      {items.map(({ sessionId, title, seq }) => (
        <li key={sessionId}>
          {sessionId === here ? (
            <span>this session</span>
          ) : (
            <Link href={placeAddress(sessionId, seq, found.docid)} className="text-accent hover:underline">
              {title.trim() === '' ? 'Untitled session' : title}
            </Link>
          )}{' '}
          <span className="text-faint">at position {seq}</span>
        </li>
      ))}
      {total > items.length ? <li className="text-faint">and {total - items.length} more</li> : null}
    </ul>
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
