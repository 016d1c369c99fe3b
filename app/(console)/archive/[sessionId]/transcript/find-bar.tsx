'use client';

import Link from 'next/link';
import { integer } from '@/app/_lib/format.ts';
import { Button } from '@/app/_ui/button.tsx';
import { Icon } from '@/app/_ui/icon.tsx';
import { SearchInput } from '@/app/_ui/input.tsx';
import { searchAddress } from '../../search/search-state.ts';
import type { HitWalk } from './use-hits.ts';

/** Search in one transcript: the words, how many hits, and the way from one to the next. */
export function FindBar(props: {
  readonly words: string;
  readonly onWords: (words: string) => void;
  readonly walk: HitWalk;
}) {
  const { words, onWords, walk } = props;
  const { hop } = walk;
  return (
    <search className="flex min-w-0 items-center gap-1">
      {words.trim() !== '' && walk.total === 0 && !walk.pending ? (
        <Link
          href={searchAddress({ q: words })}
          className="shrink-0 pr-1 text-sm text-accent hover:underline max-md:hidden"
        >
          Search everything
        </Link>
      ) : null}
      <span
        role="status"
        className="min-w-0 truncate pr-1 text-sm text-faint"
        title={
          walk.times > walk.total ? `${integer(walk.times)} times in ${integer(walk.total)} parts` : undefined
        }
      >
        {countOf(words, walk)}
      </span>
      {words === '' ? null : (
        <>
          <Button
            look="quiet"
            size="tiny"
            aria-label="Hit before (N)"
            title="Hit before (N)"
            disabled={walk.seqs.length === 0}
            onClick={() => hop(-1)}
          >
            <Icon name="up" />
          </Button>
          <Button
            look="quiet"
            size="tiny"
            aria-label="Next hit (n)"
            title="Next hit (n)"
            disabled={walk.seqs.length === 0}
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
          if (walk.seqs.length > 0) event.currentTarget.blur();
        }}
        className="w-48 max-sm:w-32"
      />
    </search>
  );
}

function countOf(words: string, { seqs, total, pending, hit }: HitWalk): string {
  if (words === '' || pending) return '';
  if (total === 0) return 'No hit';
  const place = hit === null ? 0 : seqs.indexOf(hit) + 1;
  const whole =
    total > seqs.length ? `the first ${integer(seqs.length)} of ${integer(total)}` : integer(total);
  return place === 0 ? `${whole} ${total === 1 ? 'hit' : 'hits'}` : `${place} of ${whole}`;
}
