import type { ReactNode } from 'react';
import { integer } from '@/app/_lib/format.ts';
import { Money } from '@/app/_ui/money.tsx';
import type { WireLedgerTotals } from '@/server/api/index.ts';
import { percentOf } from './words.ts';

/** What was paid and what it would have been: the headline leaves out what could not be compared. */
export function Figures({ totals, listed }: { readonly totals: WireLedgerTotals; readonly listed: boolean }) {
  const { saved, compared, actual, requests } = totals;
  const isDearer = saved.startsWith('-');
  const share = percentOf(isDearer ? saved.slice(1) : saved, compared.direct);
  return (
    <div className="shrink-0 border-b border-line px-4 py-3">
      <dl className="flex flex-wrap gap-x-8 gap-y-2">
        <Figure name={listed ? 'at list price, not billed' : 'paid'}>
          <Money amount={actual} />
        </Figure>
        <Figure name="sent directly">
          <Money amount={compared.direct} />
        </Figure>
        <Figure name={`${isDearer ? 'cost more' : 'saved'}${share === null ? '' : ` (${share})`}`}>
          <span className={isDearer ? 'text-warn' : 'text-good'}>
            <Money amount={isDearer ? saved.slice(1) : saved} />
          </span>
        </Figure>
        <Figure name="requests">{integer(requests)}</Figure>
      </dl>
      <Notes totals={totals} />
    </div>
  );
}

function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="flex items-baseline gap-2">
      <dt className="order-last text-sm text-faint">{name}</dt>
      <dd className="text-xl font-strong">{children}</dd>
    </div>
  );
}

/** What the headline does not count, in words. */
function Notes({ totals }: { readonly totals: WireLedgerTotals }) {
  const { capped, uncompared, unpriced, estimated, partial } = totals;
  const notes = [
    [
      capped.requests,
      'would have passed the window directly: their agents would have compacted there, so they are no part of the saving',
    ],
    [uncompared.requests, 'could not be compared with what their agents sent'],
    [unpriced, 'went to a model without a price: their tokens are counted, and no money'],
    [estimated, 'were not counted by the provider: their tokens are an estimate'],
    [partial, 'broke off: what the provider had counted until then'],
  ] as const;
  const said = notes.filter(([count]) => count > 0);
  if (said.length === 0) return null;
  return (
    <ul className="mt-2 space-y-0.5 text-sm text-soft">
      {said.map(([count, words]) => (
        <li key={words}>
          {integer(count)} {count === 1 ? 'request' : 'requests'} {words}.
        </li>
      ))}
    </ul>
  );
}
