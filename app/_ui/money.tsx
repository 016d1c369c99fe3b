import { dollars } from '@/app/_lib/format.ts';

/** An amount with three significant digits; the exact one on hover. Given in dollars as a decimal text with nine places. */
export function Money({ amount }: { readonly amount: string }) {
  return <span title={`$${amount}`}>{dollars(amount)}</span>;
}
