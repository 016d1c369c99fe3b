import Link from 'next/link';
import type { ReactNode } from 'react';
import { ScrollRegion } from '@/app/_ui/scroll-region.tsx';
import { EmptyState } from '@/app/_ui/states.tsx';
import { searchAddress } from './search-state.ts';

const EXAMPLES: readonly (readonly [q: string, does: ReactNode])[] = [
  ['refund window', 'Any of the words; texts with all of them, close together, come first'],
  ['"refund window"', 'The words in this order'],
  ['refund -invoice', 'Without a word'],
  ['refund*', 'Every word that begins so'],
  ['refundWindow', 'Names by their parts: refund_window and REFUND-WINDOW are found too'],
  ['billing/quota.ts', 'Paths by their parts'],
  ['"TypeError: x is not"', 'Exactly so, with punctuation'],
];

/** Before the first word: what can be asked. */
export function HowToSearch() {
  return (
    <ScrollRegion label="How to search" className="min-h-0 flex-1 overflow-auto px-4 py-5">
      <p className="max-w-[72ch] text-soft">
        Looks through every word that was typed, answered, thought, and every call and result of a tool, in
        all sessions. Click an example to try it.
      </p>
      <dl className="mt-3 grid max-w-[760px] grid-cols-[max-content_1fr] items-baseline gap-x-5 gap-y-1.5 max-sm:grid-cols-1 max-sm:gap-y-0">
        {EXAMPLES.map(([q, does]) => (
          <div key={q} className="contents">
            <dt className="max-sm:pt-2">
              <Link href={searchAddress({ q })} className="font-mono text-sm text-accent hover:underline">
                {q}
              </Link>
            </dt>
            <dd className="text-soft">{does}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-4 max-w-[72ch] text-soft">
        Capitals and accents do not matter. Masked secrets cannot be found, because they are not kept.
      </p>
    </ScrollRegion>
  );
}

/** No hit, and what may help. */
export function NoHits({ words, narrowed }: { readonly words: string; readonly narrowed: boolean }) {
  const loose = words
    .replace(/["*]/g, ' ')
    .replace(/(^|\s)-\S+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return (
    <EmptyState title="Nothing fits">
      <ul className="list-disc space-y-1 pl-5">
        {narrowed ? (
          <li>
            Look{' '}
            <Link href={searchAddress({ q: words })} className="text-accent underline">
              without the filters
            </Link>
            .
          </li>
        ) : null}
        {loose !== '' && loose !== words.trim() ? (
          <li>
            Look for{' '}
            <Link href={searchAddress({ q: loose })} className="text-accent underline">
              {loose}
            </Link>
            , without marks, stars and exclusions.
          </li>
        ) : null}
        <li>
          Write the beginning of a word with a star: <code>refund*</code>.
        </li>
        <li>Use a word that must stand in the text itself, such as a name, a path or a part of an error.</li>
      </ul>
    </EmptyState>
  );
}
