import type { Metadata } from 'next';
import { SessionScreen } from './session-screen.tsx';

export const metadata: Metadata = { title: 'Session' };

/** One session. */
export default async function SessionPage({
  params,
}: {
  readonly params: Promise<{ readonly sessionId: string }>;
}) {
  const { sessionId } = await params;
  return <SessionScreen sessionId={sessionId} />;
}
