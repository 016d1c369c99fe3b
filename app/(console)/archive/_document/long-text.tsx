'use client';

import { useMemo } from 'react';
import { integer } from '@/app/_lib/format.ts';
import { matchesIn } from './text-matches.ts';
import { blocksOf, runsOf } from './text-pieces.ts';
import { TextView } from './text-view.tsx';

const LOOK = { prose: false, wrap: true, signs: false, lines: true };
const nothing = () => undefined;

/** A long text that is at hand whole, in a block that scrolls by itself. */
export function LongText(props: { readonly label: string; readonly text: string; readonly find: string }) {
  const { label, text, find } = props;
  const blocks = useMemo(() => blocksOf(runsOf(new Map([[0, text]])), 1), [text]);
  const matches = useMemo(() => matchesIn(0, text, '', find), [text, find]);
  return (
    <figure className="my-1 overflow-hidden rounded-md border border-line bg-sunken">
      <figcaption className="border-b border-line px-3 py-0.5 text-xs text-faint">
        {label} · {integer(text.length)} characters
      </figcaption>
      <TextView
        label={label}
        blocks={blocks}
        matches={matches}
        now={-1}
        place={null}
        look={LOOK}
        onGap={nothing}
        className="h-80"
      />
    </figure>
  );
}
