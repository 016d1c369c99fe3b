'use client';

import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { isTyping } from '@/app/_lib/keys.tsx';
import type { Log } from './use-log.ts';

/** Where a part that is gone to comes to stand. */
export type Align = 'center' | 'auto';

/**
 * Goes to a position: scrolls there, again once its rows are known and measured, and gives it the keyboard.
 * Also follows `at` when something outside (a hit, an address) moves it.
 */
export function useGoTo(parts: {
  readonly log: Log;
  readonly scroller: RefObject<HTMLElement | null>;
  readonly scrollTo: (index: number, align: Align) => void;
  readonly at: number;
  readonly onArrive: (seq: number) => void;
}): { readonly goTo: (seq: number, align?: Align) => void; readonly cursor: RefObject<number> } {
  const { log, scroller, at, onArrive } = parts;
  const [target, setTarget] = useState<{ readonly seq: number; readonly align: Align } | null>(
    at === 0 ? null : { seq: at, align: 'center' },
  );
  const scrollTo = useRef(parts.scrollTo);
  const drawn = useRef(at);
  useEffect(() => {
    scrollTo.current = parts.scrollTo;
    drawn.current = at;
  });
  const arrived = useRef(at);
  // Where the reader is on the way to: keys that follow quickly go on from here, not from what is drawn already.
  const cursor = useRef(at);
  // Positions that this very code has announced: when they come back as `at`, the reader may be further on already.
  const announced = useRef<number[]>([]);
  useEffect(() => {
    const echo = announced.current.indexOf(at);
    if (echo >= 0) announced.current.splice(0, echo + 1);
    if (echo >= 0 || at === 0 || arrived.current === at) return;
    cursor.current = at;
    const onScreen = scroller.current?.querySelector(`[data-seq="${at}"]`) ?? null;
    if (onScreen !== null && onScreen === document.activeElement?.closest('[data-seq]')) arrived.current = at;
    else setTarget({ seq: at, align: 'center' });
  }, [at, scroller]);

  const known = target === null ? undefined : log.parts.get(target.seq);
  useEffect(() => {
    if (target === null) return;
    const shown = known?.shape === 'inside' ? known.callSeq : target.seq;
    scrollTo.current(shown - log.first, target.align);
    if (known === undefined) return;
    const frame = requestAnimationFrame(() => {
      scrollTo.current(shown - log.first, target.align);
      arrived.current = shown;
      cursor.current = shown;
      if (drawn.current !== shown) announced.current.push(shown);
      onArrive(shown);
      setTarget(null);
      const row = scroller.current?.querySelector<HTMLElement>(`[data-seq="${shown}"]`) ?? null;
      if (!isTyping(document.activeElement)) row?.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(frame);
  }, [target, known, log.first, onArrive, scroller]);
  const goTo = useCallback((seq: number, align: Align = 'center') => {
    cursor.current = seq;
    setTarget({ seq, align });
  }, []);
  return { goTo, cursor };
}
