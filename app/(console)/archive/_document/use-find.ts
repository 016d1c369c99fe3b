'use client';

import { useCallback, useEffect, useMemo, useState } from 'react';
import { type Match, matchesIn, matchFrom, patternOf, placeOf } from './text-matches.ts';
import type { DocumentText } from './use-document-text.ts';

/** Matches that are walked at most. */
const MOST = 20_000;
/** Milliseconds that the words must rest before a text is searched. */
const REST_MS = 150;

/** A search in one text. */
export interface Find {
  readonly words: string;
  readonly matches: readonly Match[];
  /** Pieces that are still to be looked through; 0: the search is done. */
  readonly left: number;
  /** True if a piece could not be read, so that there may be matches which nobody knows of. */
  readonly broken: boolean;
  /** Number of the match that the reader stands at; -1: none. */
  readonly now: number;
  readonly hop: (step: 1 | -1) => void;
}

/** Looks for words in the whole of a text, whether it is on the screen or not; begins at the match behind `offset`. */
export function useFind(text: DocumentText, words: string, offset: number | null): Find {
  const { fetch: fetchPiece, count, pieces } = text;
  const [found, setFound] = useState<{ of: string; matches: readonly Match[]; left: number; broken?: true }>({
    of: '',
    matches: [],
    left: 0,
  });
  const [chosen, setChosen] = useState<{ of: string; now: number } | null>(null);

  useEffect(() => {
    if (patternOf(words) === null) return;
    let stopped = false;
    const search = async () => {
      const matches: Match[] = [];
      let own = await fetchPiece(0);
      for (let piece = 0; piece < count && matches.length < MOST; piece += 1) {
        const next = piece + 1 < count ? await fetchPiece(piece + 1) : '';
        if (stopped) return;
        for (const match of matchesIn(piece, own, next.slice(0, words.length * 2), words))
          matches.push(match);
        own = next;
        if (piece % 8 === 7) setFound({ of: words, matches: [...matches], left: count - piece - 1 });
      }
      if (!stopped) setFound({ of: words, matches: matches.slice(0, MOST), left: 0 });
    };
    const breakOff = () => {
      if (!stopped)
        setFound((old) => ({
          ...(old.of === words ? old : { matches: [] }),
          of: words,
          left: 0,
          broken: true,
        }));
    };
    const timer = setTimeout(() => void search().catch(breakOff), REST_MS);
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }, [words, fetchPiece, count]);

  const isCurrent = patternOf(words) !== null && found.of === words;
  const matches = isCurrent ? found.matches : NONE;
  const begin = useMemo(() => {
    if (matches.length === 0) return -1;
    return offset === null ? 0 : matchFrom(matches, placeOf(offset, pieces));
  }, [matches, offset, pieces]);
  const now = chosen !== null && chosen.of === words ? Math.min(chosen.now, matches.length - 1) : begin;
  const hop = useCallback(
    (step: 1 | -1) => {
      if (matches.length === 0) return;
      setChosen({ of: words, now: (Math.max(0, now) + step + matches.length) % matches.length });
    },
    [matches.length, now, words],
  );
  const left = isCurrent ? found.left : patternOf(words) === null ? 0 : count;
  return { words, matches, left, broken: isCurrent && found.broken === true, now, hop };
}

const NONE: readonly Match[] = [];
