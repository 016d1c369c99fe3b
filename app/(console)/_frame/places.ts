import type { IconName } from '@/app/_ui/icon.tsx';

/** A screen that the rail leads to. */
export interface Screen {
  readonly href: string;
  readonly label: string;
  readonly icon: IconName;
  /** The key that leads there after `g`. */
  readonly key: string;
}

/** The screens that exist, in the rail's order. */
export const SCREENS: readonly Screen[] = [
  { href: '/', label: 'Home', icon: 'home', key: 'h' },
  { href: '/archive', label: 'Archive', icon: 'archive', key: 'a' },
  { href: '/ledger', label: 'Ledger', icon: 'ledger', key: 'c' },
  { href: '/settings', label: 'Settings', icon: 'settings', key: 's' },
  { href: '/help', label: 'Help', icon: 'help', key: 'l' },
];

/** True if `path` lies on the screen at `href`. */
export function isOn(path: string, href: string): boolean {
  return href === '/' ? path === '/' : path === href || path.startsWith(`${href}/`);
}
