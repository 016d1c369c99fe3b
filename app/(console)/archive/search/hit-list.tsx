'use client';

import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useCallback, useEffect, useRef } from 'react';
import { ScrollRegion } from '@/app/_ui/scroll-region.tsx';
import type { WireSearchHit } from '@/server/api/index.ts';
import { HitRow } from './hit-row.tsx';

/** Hits, best first; only those on the screen are built. */
export function HitList(props: {
  readonly hits: readonly WireSearchHit[];
  /** The hit whose document is open. */
  readonly selected: WireSearchHit | null;
  readonly dimmed: boolean;
  readonly onOpen: (hit: WireSearchHit) => void;
  /** Called when the end comes near. */
  readonly onEnd: () => void;
  readonly before: ReactNode;
  readonly after: ReactNode;
}) {
  const { hits, selected, dimmed, onOpen, onEnd, before, after } = props;
  const scroller = useRef<HTMLElement>(null);
  const getItemKey = useCallback((at: number) => keyOf(hits[at], at), [hits]);
  const virtual = useVirtualizer({
    count: hits.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 84,
    overscan: 8,
    getItemKey,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hits.length > 0 && last >= hits.length - 8) onEnd();
  }, [last, hits.length, onEnd]);
  return (
    <ScrollRegion ref={scroller} label="Hits" className="min-h-0 flex-1 overflow-auto">
      {before}
      <div className="relative" style={{ height: virtual.getTotalSize() }}>
        <ol
          className={dimmed ? 'absolute inset-x-0 opacity-60' : 'absolute inset-x-0'}
          style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}
        >
          {items.map(({ index, key }) => {
            const hit = hits[index];
            return hit === undefined ? null : (
              <li
                key={key}
                data-index={index}
                ref={virtual.measureElement}
                aria-setsize={-1}
                aria-posinset={index + 1}
              >
                <HitRow hit={hit} selected={hit === selected} onOpen={onOpen} />
              </li>
            );
          })}
        </ol>
      </div>
      {after}
    </ScrollRegion>
  );
}

function keyOf(hit: WireSearchHit | undefined, at: number): string | number {
  return hit === undefined ? at : `${hit.docid} ${hit.kind} ${hit.offset}`;
}
