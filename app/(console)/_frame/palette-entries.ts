import { AGENT_NAMES } from '@/app/_lib/agents.ts';
import type { Theme } from '@/app/_lib/theme.ts';
import type { IconName } from '@/app/_ui/icon.tsx';
import type { WireDocument, WireSession } from '@/server/api/index.ts';
import { SCREENS } from './places.ts';

/** What choosing an entry does. */
export type PaletteAct = { readonly go: string } | { readonly theme: Theme } | { readonly keys: true };

/** One line of the palette. */
export interface PaletteEntry {
  /** Unique in the palette. */
  readonly value: string;
  readonly icon: IconName;
  readonly words: string;
  /** True for ids, which are set in the typewriter face. */
  readonly isId: boolean;
  readonly note: { readonly words: string; readonly iso: string } | null;
  readonly act: PaletteAct;
}

/** Lines under one heading. */
export interface PaletteGroup {
  readonly title: string;
  readonly entries: readonly PaletteEntry[];
}

const THEMES = [
  ['light', 'sun'],
  ['dark', 'moon'],
  ['system', 'system'],
] as const;

/** The palette's groups for `words`; groups without a line are left out. */
export function paletteGroups(
  words: string,
  found: { readonly sessions: readonly WireSession[]; readonly document: WireDocument | null },
): readonly PaletteGroup[] {
  const screens = SCREENS.map(({ href, label, icon }) => entry(`screen ${href}`, icon, label, { go: href }));
  const themes = THEMES.map(([theme, icon]) =>
    entry(`theme ${theme}`, icon, `Use the ${theme} theme`, { theme }),
  );
  const acts = [...themes, entry('keys', 'help', 'List the keys and shortcuts', { keys: true })];
  return [
    { title: 'Documents', entries: found.document === null ? [] : [documentEntry(found.document)] },
    { title: 'Screens', entries: screens.filter((one) => isNamed(words, one.words)) },
    { title: 'Sessions', entries: found.sessions.map(sessionEntry) },
    { title: 'Archive', entries: [searchEntry(words.trim())] },
    { title: 'Do', entries: acts.filter((one) => isNamed(words, one.words)) },
  ].filter((group) => group.entries.length > 0);
}

function entry(value: string, icon: IconName, words: string, act: PaletteAct): PaletteEntry {
  return { value, icon, words, act, isId: false, note: null };
}

function searchEntry(q: string): PaletteEntry {
  const words = q === '' ? 'Search every word of the archive' : `Search the archive for “${q}”`;
  return entry('search', 'search', words, {
    go: `/archive/search${q === '' ? '' : `?${new URLSearchParams({ q })}`}`,
  });
}

function sessionEntry(session: WireSession): PaletteEntry {
  const title = session.title.trim() === '' ? 'Untitled session' : session.title;
  return {
    ...entry(`session ${session.id}`, 'archive', title, { go: `/archive/${session.id}` }),
    note: { words: AGENT_NAMES[session.agent], iso: session.lastSeenAt },
  };
}

function documentEntry(document: WireDocument): PaletteEntry {
  const address = `/archive/${document.sessionId}?at=${document.seq}&doc=${document.docid}`;
  return { ...entry(`document ${document.docid}`, 'archive', document.docid, { go: address }), isId: true };
}

/** True if every word that was typed is part of the name. */
export function isNamed(words: string, name: string): boolean {
  const lower = name.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}

/** The document id that the words may be: whole, or its digits alone (six at least). Null: they are something else. */
export function documentIdIn(words: string): string | null {
  const typed = words.trim().toLowerCase();
  if (!/^(context-mode-msg-)?[0-9a-f]{6,}$/.test(typed)) return null;
  return typed.startsWith('context-mode-msg-') ? typed : `context-mode-msg-${typed}`;
}
