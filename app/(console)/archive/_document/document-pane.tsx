'use client';

import Link from 'next/link';
import { useQueryStates } from 'nuqs';
import { buttonClass } from '@/app/_ui/button.tsx';
import { Icon } from '@/app/_ui/icon.tsx';
import { Pane } from '@/app/_ui/pane.tsx';
import { DOCUMENT_STATE, documentAddress, openedAt } from './document-state.ts';
import { type DocumentPlace, DocumentView } from './document-view.tsx';
import { documentTitle, useDocument } from './use-document.ts';

/** One document at the right of its list: to read, and exactly. */
export function DocumentPane({
  docid,
  words,
  here,
  place,
  onClose,
}: {
  readonly docid: string;
  /** Words that the list beside it is searched for. */
  readonly words: string;
  /** The session that the list beside it is of: no way leads there. */
  readonly here?: string;
  /** Where the list beside it has found the document; absent: where it was seen first. */
  readonly place?: DocumentPlace | null;
  readonly onClose: () => void;
}) {
  const query = useDocument(docid);
  const [, setState] = useQueryStates(DOCUMENT_STATE, { history: 'replace' });
  return (
    <Pane
      label="Document"
      title={documentTitle(query.data)}
      onClose={onClose}
      actions={
        <>
          <Link
            href={documentAddress(docid)}
            aria-label="Open the document by itself"
            title="Open the document by itself"
            className={buttonClass({ look: 'quiet', size: 'tiny' })}
          >
            <Icon name="external" />
          </Link>
          <Download docid={docid} />
        </>
      }
    >
      <DocumentView
        key={docid}
        query={query}
        words={words}
        here={here ?? null}
        place={place ?? null}
        open={(next) => void setState(openedAt(next))}
      />
    </Pane>
  );
}

/** Saves the exact bytes. */
export function Download({ docid }: { readonly docid: string }) {
  return (
    <a
      href={`/api/v1/documents/${docid}/raw`}
      download
      aria-label="Download the exact bytes"
      title="Download the exact bytes"
      className={buttonClass({ look: 'quiet', size: 'tiny' })}
    >
      <Icon name="download" />
    </a>
  );
}
