'use client';

import Link from 'next/link';
import { tokens } from '@/app/_lib/format.ts';
import { Badge } from '@/app/_ui/badge.tsx';
import { cx } from '@/app/_ui/cx.ts';
import { Time } from '@/app/_ui/time.tsx';
import type { WireLayout } from '@/server/api/index.ts';
import { LAYOUT_NAMES } from '../../../_recall/words.ts';

/** The layouts of a session as a time line: when, why, and what became of the prompt. One opens at the right. */
export function LayoutList(props: {
  readonly sessionId: string;
  readonly layouts: readonly WireLayout[];
  readonly selected: string | null;
  readonly onOpen: (message: string) => void;
}) {
  const { sessionId, layouts, selected, onOpen } = props;
  if (layouts.length === 0) {
    return (
      <p className="px-4 pt-1 text-soft">
        None yet. One is made when the prompt comes near its limit, after a pause in which the provider has
        forgotten it, or when shorter requests have paid for it.
      </p>
    );
  }
  const most = Math.max(...layouts.map(({ tokensBefore }) => tokensBefore), 1);
  return (
    <ol className="mt-1">
      {layouts.map((layout) => (
        <li key={layout.message} className={cx(layout.message === selected && 'bg-accent-soft')}>
          <Link
            data-row=""
            aria-current={layout.message === selected ? 'true' : undefined}
            href={`/archive/${sessionId}?tab=window&layout=${layout.message}`}
            onClick={(event) => {
              // A click that asks for a tab or a window of its own follows the address.
              if (event.metaKey || event.ctrlKey || event.shiftKey) return;
              event.preventDefault();
              onOpen(layout.message);
            }}
            className="grid grid-cols-[96px_1fr] items-center gap-x-3 border-t border-line px-4 py-1.5 hover:bg-hover md:grid-cols-[96px_150px_1fr_170px]"
          >
            <span className="text-soft">
              <Time iso={layout.at} as="moment" />
            </span>
            <span className="flex flex-wrap gap-1">
              <Badge tone={layout.content === null ? 'plain' : 'accent'}>
                {LAYOUT_NAMES[layout.reason] ?? layout.reason}
              </Badge>
              {layout.thread === 'main' ? null : <Badge>sub-agent</Badge>}
            </span>
            <Bar before={layout.tokensBefore} after={layout.tokensAfter} most={most} />
            <span className="text-right max-md:col-start-2 max-md:text-left">
              {tokens(layout.tokensBefore)} → {tokens(layout.tokensAfter)}{' '}
              <span className="text-faint">estimated</span>
            </span>
          </Link>
        </li>
      ))}
    </ol>
  );
}

/** The prompt before and after, to the scale of the longest; the numbers stand beside it. */
function Bar({
  before,
  after,
  most,
}: {
  readonly before: number;
  readonly after: number;
  readonly most: number;
}) {
  const part = (value: number) => Math.max(0.5, Math.min(100, (value / most) * 100));
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 100 8"
      preserveAspectRatio="none"
      className="h-2 w-full max-md:col-start-2"
    >
      <rect x="0" y="0" width={part(before)} height="8" className="fill-(--line-strong)" />
      <rect x="0" y="0" width={part(after)} height="8" className="fill-(--accent)" />
    </svg>
  );
}
