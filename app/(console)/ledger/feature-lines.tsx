import { Money } from '@/app/_ui/money.tsx';
import { Num } from '@/app/_ui/number.tsx';
import type { WireLedgerTotals } from '@/server/api/index.ts';
import { differenceWords, FEATURE_WORDS } from './words.ts';

/** From what requests would have cost to what they did, feature by feature: the rows add up, to the nano-dollar. */
export function FeatureLines({ totals }: { readonly totals: WireLedgerTotals }) {
  const { compared } = totals;
  const widest = Math.max(...compared.lines.map(({ amount }) => Math.abs(Number(amount))), 0);
  return (
    <table className="w-full max-w-[860px] border-separate border-spacing-0 text-left">
      <caption className="sr-only">What each feature made of the cost</caption>
      <thead>
        <tr className="text-sm text-faint">
          <th scope="col" className="h-7 w-28 px-4 font-normal">
            Feature
          </th>
          <th scope="col" className="px-2 font-normal max-md:hidden">
            What is in it
          </th>
          <th scope="col" className="w-24 px-2 text-right font-normal max-sm:hidden">
            Tokens
          </th>
          <th scope="col" className="w-40 px-2 text-right font-normal">
            Money
          </th>
          <th scope="col" className="w-40 px-4 font-normal max-lg:hidden">
            <span className="sr-only">Bar</span>
          </th>
        </tr>
      </thead>
      <tbody>
        <Sum name="Sent directly" amount={compared.direct} />
        {compared.lines.map(({ feature, amount, tokens }) => (
          <tr key={feature}>
            <th scope="row" className="h-8 border-b border-line px-4 font-normal">
              {FEATURE_WORDS[feature].name}
            </th>
            <td className="truncate border-b border-line px-2 text-soft max-md:hidden">
              {FEATURE_WORDS[feature].what}
            </td>
            <td className="border-b border-line px-2 text-right whitespace-nowrap text-soft max-sm:hidden">
              <Num value={tokens} as="integer" />
            </td>
            <td className="border-b border-line px-2 text-right whitespace-nowrap" title={`$${amount}`}>
              {differenceWords(amount)}
            </td>
            <td className="border-b border-line px-4 max-lg:hidden">
              <Bar amount={Number(amount)} widest={widest} />
            </td>
          </tr>
        ))}
        <Sum name="Paid for these" amount={compared.actual} />
      </tbody>
    </table>
  );
}

function Sum({ name, amount }: { readonly name: string; readonly amount: string }) {
  return (
    <tr>
      <th scope="row" className="h-8 border-b border-line px-4 font-strong whitespace-nowrap">
        {name}
      </th>
      <td className="border-b border-line max-md:hidden" />
      <td className="border-b border-line max-sm:hidden" />
      <td className="border-b border-line px-2 text-right font-strong">
        <Money amount={amount} />
      </td>
      <td className="border-b border-line max-lg:hidden" />
    </tr>
  );
}

const HALF = 64;

/** To the left what was saved, to the right what cost more. The words beside it say the same. */
function Bar({ amount, widest }: { readonly amount: number; readonly widest: number }) {
  const length = widest === 0 ? 0 : (Math.abs(amount) / widest) * HALF;
  return (
    <svg aria-hidden="true" width={2 * HALF} height="12" viewBox={`0 0 ${2 * HALF} 12`}>
      <line x1={HALF} y1="0" x2={HALF} y2="12" className="stroke-line-strong" />
      <rect
        x={amount < 0 ? HALF - length : HALF}
        y="2"
        width={length}
        height="8"
        className={amount < 0 ? 'fill-good' : 'fill-warn'}
      />
    </svg>
  );
}
