'use client';

import { useRouter } from 'next/navigation';
import { Page } from '../../../_frame/page.tsx';
import { Download } from '../../_document/document-pane.tsx';
import { documentAddress } from '../../_document/document-state.ts';
import { DocumentView } from '../../_document/document-view.tsx';
import { documentTitle, useDocument } from '../../_document/use-document.ts';

const ARCHIVE = { href: '/archive', label: 'Archive' };

/** A document with the whole screen for itself. */
export function DocumentScreen({ docid }: { readonly docid: string }) {
  const query = useDocument(docid);
  const router = useRouter();
  return (
    <Page title={documentTitle(query.data)} parent={ARCHIVE} actions={<Download docid={docid} />}>
      <DocumentView
        query={query}
        words=""
        here={null}
        place={null}
        open={(next) => router.push(documentAddress(next))}
      />
    </Page>
  );
}
