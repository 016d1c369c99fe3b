'use client';

import { useEffect, useState } from 'react';

/** A value once it has rested for `ms` milliseconds: what is being typed asks no question at every letter. */
export function useSettled<Value>(value: Value, ms: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
