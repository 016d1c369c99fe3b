'use client';

import { integer } from '@/app/_lib/format.ts';
import { Button } from '@/app/_ui/button.tsx';
import { Icon } from '@/app/_ui/icon.tsx';
import { SearchInput } from '@/app/_ui/input.tsx';
import { type Hits, nextHit } from './use-hits.ts';

/** Search in one transcript: the words, how many hits, and the way from one to the next. */
export function FindBar(props: {
  readonly words: string;
  readonly onWords: (words: string) => void;
  readonly hits: Hits;
  readonly at: number;
  readonly onAt: (seq: number) => void;
}) {
  const { words, onWords, hits, at, onAt } = props;
  const hop = (step: 1 | -1) => {
    const next = nextHit(hits.seqs, at, step);
    if (next !== null) onAt(next);
  };
  return (
    <search className="flex min-w-0 items-center gap-1">
      <span role="status" className="min-w-0 truncate pr-1 text-sm text-faint">
        {countOf(words, hits, at)}
      </span>
      {words === '' ? null : (
        <>
          <Button
            look="quiet"
            size="tiny"
            aria-label="Hit before (N)"
            title="Hit before (N)"
            disabled={hits.seqs.length === 0}
            onClick={() => hop(-1)}
          >
            <Icon name="up" />
          </Button>
          <Button
            look="quiet"
            size="tiny"
            aria-label="Next hit (n)"
            title="Next hit (n)"
            disabled={hits.seqs.length === 0}
            onClick={() => hop(1)}
          >
            <Icon name="down" />
          </Button>
        </>
      )}
      <SearchInput
        label="Search in this session"
        placeholder="Search here"
        value={words}
        onChange={(event) => onWords(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            if (words !== '') onWords('');
            event.currentTarget.blur();
          }
          if (event.key !== 'Enter') return;
          event.preventDefault();
          hop(event.shiftKey ? -1 : 1);
          if (hits.seqs.length > 0) event.currentTarget.blur();
        }}
        className="w-48 max-sm:w-32"
      />
    </search>
  );
}

function countOf(words: string, { seqs, total, pending }: Hits, at: number): string {
  if (words === '' || pending) return '';
  if (total === 0) return 'No hit';
  const place = seqs.indexOf(at) + 1;
  const whole =
    total > seqs.length ? `the newest ${integer(seqs.length)} of ${integer(total)}` : integer(total);
  return place === 0 ? `${whole} ${total === 1 ? 'hit' : 'hits'}` : `${place} of ${whole}`;
}
