import type { Metadata } from 'next';
import { SettingsScreen } from './settings-screen.tsx';

export const metadata: Metadata = { title: 'Settings' };

/** What holds in this installation. */
export default function SettingsPage() {
  return <SettingsScreen />;
}
