import type { ReactNode } from 'react';
import { cx } from './cx.ts';

const TONES = {
  plain: 'bg-past-soft text-soft',
  accent: 'bg-accent-soft text-accent-strong',
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
} as const;

/** What a badge means; the colours keep their meaning everywhere. */
export type Tone = keyof typeof TONES;

/** A short word about a thing. The word carries the meaning; the colour repeats it. */
export function Badge({
  tone = 'plain',
  title,
  children,
}: {
  readonly tone?: Tone;
  readonly title?: string;
  readonly children: ReactNode;
}) {
  return (
    <span
      title={title}
      className={cx(
        'inline-flex h-[18px] shrink-0 items-center rounded-sm px-1.5 text-xs whitespace-nowrap',
        TONES[tone],
      )}
    >
      {children}
    </span>
  );
}

const DOTS = {
  plain: 'bg-past',
  accent: 'bg-accent',
  good: 'bg-good',
  warn: 'bg-warn',
  bad: 'bg-bad',
} as const;

/** A dot of a tone's colour, always beside a word that says the same. */
export function Dot({ tone, waiting = false }: { readonly tone: Tone; readonly waiting?: boolean }) {
  return (
    <span
      aria-hidden="true"
      className={cx('inline-block size-2 shrink-0 rounded-full', DOTS[tone], waiting && 'animate-waiting')}
    />
  );
}
