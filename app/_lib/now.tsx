'use client';

import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { systemClock } from '@/server/kernel/clock.ts';

/** Milliseconds since 1970; 0 before the page has come alive, when the viewer's zone is not known yet. */
const NowContext = createContext(0);

/** The present moment, renewed every ten seconds. */
export const useNow = (): number => useContext(NowContext);

/** Renews the present moment for all relative times of a page at once. */
export function NowProvider({ children }: { readonly children: ReactNode }) {
  const [now, setNow] = useState(0);
  useEffect(() => {
    const tick = () => setNow(systemClock.now());
    tick();
    const timer = setInterval(tick, 10_000);
    return () => clearInterval(timer);
  }, []);
  return <NowContext value={now}>{children}</NowContext>;
}
