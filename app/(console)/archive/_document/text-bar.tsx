'use client';

import type { RefObject } from 'react';
import { integer } from '@/app/_lib/format.ts';
import { Button } from '@/app/_ui/button.tsx';
import { cx } from '@/app/_ui/cx.ts';
import { Icon } from '@/app/_ui/icon.tsx';
import { SearchInput } from '@/app/_ui/input.tsx';
import type { TextLook } from './text-view.tsx';
import type { Find } from './use-find.ts';

const SWITCHES = [
  ['wrap', 'Wrap', 'Break long lines'],
  ['signs', 'Signs', 'Show every character that cannot be seen'],
  ['lines', 'Numbers', 'Number the lines'],
] as const;

/** Above a text: search in it, and how it is drawn. */
export function TextBar(props: {
  readonly find: Find;
  readonly onWords: (words: string) => void;
  readonly look: TextLook;
  readonly onLook: (name: 'wrap' | 'signs' | 'lines', on: boolean) => void;
  readonly field: RefObject<HTMLSpanElement | null>;
}) {
  const { find, onWords, look, onLook, field } = props;
  return (
    <search className="flex shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-b border-line px-4 py-1">
      <span ref={field} className="flex min-w-0 items-center gap-1">
        <SearchInput
          label="Find in this document"
          placeholder="Find in this document"
          value={find.words}
          onChange={(event) => onWords(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') {
              event.stopPropagation();
              event.preventDefault();
              if (find.words !== '') onWords('');
              event.currentTarget.blur();
            }
            if (event.key !== 'Enter') return;
            event.preventDefault();
            find.hop(event.shiftKey ? -1 : 1);
          }}
          className="w-52"
        />
        {find.words === '' ? null : (
          <>
            <Button
              look="quiet"
              size="tiny"
              aria-label="Match before"
              title="Match before (N, Shift Enter)"
              disabled={find.matches.length === 0}
              onClick={() => find.hop(-1)}
            >
              <Icon name="up" />
            </Button>
            <Button
              look="quiet"
              size="tiny"
              aria-label="Next match"
              title="Next match (n, Enter)"
              disabled={find.matches.length === 0}
              onClick={() => find.hop(1)}
            >
              <Icon name="down" />
            </Button>
          </>
        )}
      </span>
      <span role="status" className="text-sm text-faint">
        {countOf(find)}
      </span>
      <span className="ml-auto flex gap-1">
        {SWITCHES.map(([name, words, title]) => (
          <button
            key={name}
            type="button"
            aria-pressed={look[name]}
            title={title}
            onClick={() => onLook(name, !look[name])}
            className={cx(
              'h-6 rounded-md px-1.5 text-sm',
              look[name] ? 'bg-accent-soft text-accent-strong' : 'text-faint hover:bg-hover hover:text-text',
            )}
          >
            {words}
          </button>
        ))}
      </span>
    </search>
  );
}

function countOf({ words, matches, left, broken, now }: Find): string {
  if (words.trim() === '') return '';
  if (broken) return 'A part of the text could not be read';
  const more = left > 0 ? '+' : '';
  if (matches.length === 0) return left > 0 ? 'Searching…' : 'No match';
  return `${integer(now + 1)} of ${integer(matches.length)}${more}`;
}
