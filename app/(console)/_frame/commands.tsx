'use client';

import { useRouter } from 'next/navigation';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { focusSearch, useKeys } from '@/app/_lib/keys.tsx';
import { KeyHelp } from './key-help.tsx';
import { Palette } from './palette.tsx';
import { SCREENS } from './places.ts';

const CommandContext = createContext<{ readonly openPalette: () => void; readonly openKeys: () => void }>({
  openPalette: () => undefined,
  openKeys: () => undefined,
});

/** Opens the palette or the list of keys. */
export const useCommands = () => useContext(CommandContext);

/** Milliseconds in which the second key of `g h` must follow the first. */
const CHORD_MS = 1200;

/** The keys and floating panes that every screen has. */
export function Commands({ children }: { readonly children: ReactNode }) {
  const router = useRouter();
  const [palette, setPalette] = useState(false);
  const [keys, setKeys] = useState(false);
  const chordUntil = useRef(0);

  const jump = (key: string) => (event: KeyboardEvent) => {
    if (event.timeStamp > chordUntil.current) return;
    chordUntil.current = 0;
    const screen = SCREENS.find((one) => one.key === key);
    if (screen !== undefined) router.push(screen.href);
  };
  useKeys([
    ...SCREENS.map((screen) => [screen.key, jump(screen.key)] as const),
    [
      'g',
      (event) => {
        chordUntil.current = event.timeStamp + CHORD_MS;
      },
    ],
    ['?', () => setKeys(true)],
    [
      '/',
      (event) => {
        if (focusSearch(event)) return;
        event.preventDefault();
        router.push('/archive/search');
      },
    ],
  ]);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (
        event.key.toLowerCase() !== 'k' ||
        !(event.metaKey || event.ctrlKey) ||
        event.shiftKey ||
        event.altKey
      )
        return;
      event.preventDefault();
      setPalette((open) => !open);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);

  const commands = useMemo(
    () => ({ openPalette: () => setPalette(true), openKeys: () => setKeys(true) }),
    [],
  );
  return (
    <CommandContext value={commands}>
      {children}
      <Palette open={palette} onOpenChange={setPalette} onKeys={() => setKeys(true)} />
      <KeyHelp open={keys} onOpenChange={setKeys} />
    </CommandContext>
  );
}
