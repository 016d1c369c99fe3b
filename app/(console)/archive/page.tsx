import type { Metadata } from 'next';
import { SessionList } from './session-list.tsx';

export const metadata: Metadata = { title: 'Archive' };

/** All sessions. */
export default function ArchivePage() {
  return <SessionList />;
}
