'use client';

import Link from 'next/link';
import { memo } from 'react';
import { cx } from '@/app/_ui/cx.ts';
import { Time } from '@/app/_ui/time.tsx';
import { MarkedText } from '@/app/_ui/words.tsx';
import type { WireSearchHit } from '@/server/api/index.ts';
import { placeAddress } from '../_document/document-state.ts';
import { KIND_NAMES } from '../_document/kinds.ts';
import { sideThreadName } from '../_document/thread-names.ts';

/** Kinds whose text is set in the typewriter face. */
const CODE = new Set(['tool_call', 'tool_result', 'file', 'unknown']);

/** One hit: who said it, where and when, and the words around the match. */
export const HitRow = memo(function HitRow(props: {
  readonly hit: WireSearchHit;
  readonly selected: boolean;
  readonly onOpen: (hit: WireSearchHit) => void;
}) {
  const { hit, selected, onOpen } = props;
  const { snippet } = hit;
  const title = hit.sessionTitle.trim() === '' ? 'Untitled session' : hit.sessionTitle;
  return (
    <Link
      data-row=""
      href={placeAddress(hit.sessionId, hit.seq, hit.docid)}
      aria-current={selected ? 'true' : undefined}
      prefetch={false}
      onClick={(event) => {
        // With a modifier the browser opens the place in its session, in a tab of its own.
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        onOpen(hit);
      }}
      className={cx(
        'block border-b border-line px-4 py-2 outline-none focus-visible:shadow-[inset_2px_0_0_var(--accent)]',
        selected ? 'bg-accent-soft' : 'hover:bg-hover focus:bg-hover',
      )}
    >
      <span className="flex min-w-0 items-baseline gap-2 text-sm text-faint">
        <span className={cx('shrink-0', hit.kind === 'input' ? 'font-strong text-text' : 'text-soft')}>
          {KIND_NAMES[hit.kind] ?? hit.kind}
        </span>
        {hit.tool === null ? null : <span className="shrink-0 font-mono text-soft">{hit.tool}</span>}
        {hit.path === null ? null : (
          <span className="min-w-0 truncate font-mono text-xs max-sm:hidden" title={hit.path}>
            {hit.path}
          </span>
        )}
        {hit.thread === 'main' ? null : (
          <span className="shrink-0">{sideThreadName(hit.thread) ?? 'Sub-agent'}</span>
        )}
        <span className="ml-auto shrink-0 pl-2">
          <Time iso={hit.at} />
        </span>
      </span>
      <span
        className={cx(
          'line-clamp-3 max-w-[120ch] [overflow-wrap:anywhere]',
          CODE.has(hit.kind) ? 'py-0.5 font-mono text-sm leading-[18px]' : 'text-lg',
        )}
      >
        <MarkedText text={snippet.text} marks={snippet.marks.map(([from, to]) => ({ from, to }))} />
      </span>
      <span className="flex min-w-0 items-baseline gap-1.5 text-sm text-faint">
        <span className="truncate">{title}</span>
        {hit.project === null ? null : <span className="shrink-0 max-sm:hidden">· {hit.project.name}</span>}
        <span className="shrink-0">· position {hit.seq}</span>
      </span>
    </Link>
  );
});
