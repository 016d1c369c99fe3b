'use client';

import { useEffect, useRef } from 'react';

/** What a key does; the name of the key is as `KeyboardEvent.key` gives it (`j`, `/`, `Escape`). */
export type Keys = readonly (readonly [key: string, run: (event: KeyboardEvent) => void])[];

/** True where a key is text: in a field that is being written in. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName);
}

/** True while something floats above the page and has the keyboard. */
export function isCovered(): boolean {
  return document.querySelector('[role="dialog"], [role="menu"], [role="listbox"][data-open]') !== null;
}

/** Keys that a control which has the keyboard takes for itself. */
const PRESSES = new Set(['Enter', ' ']);

function isControl(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('a, button, [role="tab"]') !== null;
}

/**
 * Listens for plain keys on the whole page while the component stands. Keys in fields, with Ctrl, Alt or ⌘, and keys
 * while something floats above are left alone.
 */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target) || isCovered()) return;
      if (PRESSES.has(event.key) && isControl(event.target)) return;
      latest.current.find(([key]) => key === event.key)?.[1](event);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

/** Moves the keyboard to the row before or after the one that has it (else the one that is open); rows are marked `data-row`. */
export function walkRows(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const focused = rows.findIndex(
    (row) => row === document.activeElement || row.contains(document.activeElement),
  );
  const at = focused >= 0 ? focused : rows.findIndex((row) => row.getAttribute('aria-current') === 'true');
  const next = at < 0 ? (step === 1 ? 0 : rows.length - 1) : at + step;
  const row = rows[Math.min(rows.length - 1, Math.max(0, next))];
  row?.focus();
  row?.scrollIntoView({ block: 'nearest' });
}

/** Brings the keyboard to the page's search field; false: it has none. */
export function focusSearch(event: KeyboardEvent): boolean {
  const field = document.querySelector<HTMLInputElement>('[data-search]');
  if (field === null) return false;
  event.preventDefault();
  field.focus();
  field.select();
  return true;
}
