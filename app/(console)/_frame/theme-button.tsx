'use client';

import { useTheme } from '@/app/_lib/providers.tsx';
import type { Theme } from '@/app/_lib/theme.ts';
import { Icon } from '@/app/_ui/icon.tsx';

const ORDER: readonly Theme[] = ['system', 'light', 'dark'];
const WORDS = { system: 'System theme', light: 'Light theme', dark: 'Dark theme' } as const;
const ICONS = { system: 'system', light: 'sun', dark: 'moon' } as const;

/** Says which theme is chosen; a click takes the next one. */
export function ThemeButton() {
  const { theme, choose } = useTheme();
  const next = ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length] ?? 'system';
  return (
    <button
      type="button"
      onClick={() => choose(next)}
      title={`Change to: ${WORDS[next]}`}
      className="flex h-8 items-center gap-2 rounded-md px-2 text-soft hover:bg-hover hover:text-text"
    >
      <Icon name={ICONS[theme]} />
      {WORDS[theme]}
    </button>
  );
}
