'use client';

import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { useLiveState } from '@/app/_lib/live.tsx';
import { Dot } from '@/app/_ui/badge.tsx';
import { cx } from '@/app/_ui/cx.ts';
import { Icon } from '@/app/_ui/icon.tsx';
import { isOn, SCREENS } from './places.ts';
import { ThemeButton } from './theme-button.tsx';

const LIVE_WORDS = { connecting: 'Connecting', live: 'Live', lost: 'No connection' } as const;
const LIVE_TONES = { connecting: 'plain', live: 'good', lost: 'bad' } as const;

/** The way to every screen: a rail at the left, a bar at the bottom on a phone. */
export function Rail({ version }: { readonly version: string }) {
  const path = usePathname();
  const live = useLiveState();
  return (
    <header className="flex shrink-0 flex-col border-line bg-surface max-md:order-last max-md:border-t md:w-[148px] md:border-r">
      <Link
        href="/"
        className="flex h-11 items-center gap-2 px-3 font-strong whitespace-nowrap max-md:hidden"
      >
        <Mark />
        Context Mode
      </Link>
      <nav aria-label="Screens" className="flex gap-0.5 p-1.5 max-md:justify-around md:flex-col">
        {SCREENS.map((screen) => {
          const here = isOn(path, screen.href);
          return (
            <Link
              key={screen.href}
              href={screen.href}
              aria-current={here ? 'page' : undefined}
              className={cx(
                'flex h-8 items-center gap-2 rounded-md px-2 max-md:h-11 max-md:min-w-16 max-md:flex-col max-md:justify-center max-md:gap-0 max-md:text-xs',
                here ? 'bg-hover font-strong text-text' : 'text-soft hover:bg-hover hover:text-text',
              )}
            >
              <Icon name={screen.icon} className={cx('shrink-0', here && 'text-accent')} />
              {screen.label}
            </Link>
          );
        })}
      </nav>
      <div className="mt-auto flex flex-col gap-1 p-1.5 max-md:hidden">
        <ThemeButton />
        <p role="status" className="flex items-center gap-2 px-2 py-1 text-sm text-soft">
          <span className="flex w-4 justify-center">
            <Dot tone={LIVE_TONES[live]} />
          </span>
          <span>{LIVE_WORDS[live]}</span>
          <span className="ml-auto font-mono text-xs text-faint">{version}</span>
        </p>
      </div>
    </header>
  );
}

function Mark() {
  return (
    <svg aria-hidden="true" viewBox="0 0 16 16" width="16" height="16" className="shrink-0">
      <path d="M2 4h12M2 8h12M2 12h6" stroke="var(--accent)" strokeWidth="1.8" strokeLinecap="round" />
      <circle cx="12.5" cy="12" r="1.9" fill="var(--good)" />
    </svg>
  );
}
