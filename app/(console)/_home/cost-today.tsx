'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useTRPC } from '@/app/_lib/trpc.tsx';
import { Money } from '@/app/_ui/money.tsx';
import { differenceWords, negated } from '../ledger/words.ts';

/** What today's requests cost, and what that is beside sending them directly; nothing where none is booked. */
export function CostToday({ from }: { readonly from: number }) {
  const trpc = useTRPC();
  const sums = useQuery(
    trpc.ledger.sums.queryOptions(
      { from: new Date(from).toISOString() },
      { placeholderData: keepPreviousData },
    ),
  );
  if (sums.data === undefined) return null;
  const { billed, subscription } = sums.data.total;
  const totals = billed.requests > 0 ? billed : subscription;
  if (totals.requests === 0) return null;
  return (
    <div className="flex items-baseline gap-2">
      <dt className="order-last text-sm text-faint">
        {billed.requests > 0 ? 'paid' : 'at list price, not billed'};{' '}
        <Link href="/ledger?span=today" className="text-accent underline">
          {differenceWords(negated(totals.saved))}
        </Link>
      </dt>
      <dd className="text-xl font-strong">
        <Money amount={totals.actual} />
      </dd>
    </div>
  );
}
