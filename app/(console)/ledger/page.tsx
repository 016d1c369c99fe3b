import type { Metadata } from 'next';
import { LedgerScreen } from './ledger-screen.tsx';

export const metadata: Metadata = { title: 'Ledger' };

/** What requests cost, and what they would have. */
export default function LedgerPage() {
  return <LedgerScreen />;
}
