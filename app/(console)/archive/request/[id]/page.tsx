import type { Metadata } from 'next';
import { ViewScreen } from '../view-screen.tsx';

export const metadata: Metadata = { title: 'What the model saw' };

/** What the model saw of one request. */
export default async function RequestViewPage({
  params,
}: {
  readonly params: Promise<{ readonly id: string }>;
}) {
  const { id } = await params;
  return <ViewScreen id={id} />;
}
