import type { Metadata } from 'next';
import { DocumentScreen } from './document-screen.tsx';

export const metadata: Metadata = { title: 'Document' };

/** One document by itself. */
export default async function DocumentPage({
  params,
}: {
  readonly params: Promise<{ readonly docid: string }>;
}) {
  const { docid } = await params;
  return <DocumentScreen docid={docid} />;
}
