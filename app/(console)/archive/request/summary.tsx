import Link from 'next/link';
import type { ReactNode } from 'react';
import { dollars, tokens } from '@/app/_lib/format.ts';
import { Money } from '@/app/_ui/money.tsx';
import { Num } from '@/app/_ui/number.tsx';
import { Time } from '@/app/_ui/time.tsx';
import type { WireViews } from '@/server/api/index.ts';
import { inputTokens } from '../[sessionId]/requests/words.ts';
import { asSentWords, becauseWords, layoutWords, uneditedWords } from './words.ts';

const UNSAID = 'the provider did not say';

/** The sums of both sides, under which layout it went out, and what it cost. */
export function Summary({ views }: { readonly views: WireViews }) {
  return (
    <div className="shrink-0 border-b border-line">
      {views.unedited === null ? null : (
        <div role="note" className="bg-warn-soft px-4 py-1.5 text-warn">
          <strong>It went out exactly as the agent sent it.</strong> {uneditedWords(views.unedited.reason)}
          {views.unedited.detail === '' ? null : (
            <span className="block font-mono text-xs break-words">{views.unedited.detail}</span>
          )}
        </div>
      )}
      <div className="flex flex-wrap items-start gap-x-8 gap-y-2 px-4 py-2">
        <Sums views={views} />
        <div className="min-w-[260px] flex-1 space-y-1">
          <p>
            {layoutWords(views)}
            {asSentWords(views.because) === null ? null : (
              <span className="text-soft"> {asSentWords(views.because)}</span>
            )}
            {views.because === null || asSentWords(views.because) !== null ? null : (
              <span className="text-soft"> No new one: {becauseWords(views.because)}.</span>
            )}
            {views.layout === null || views.sessionId === null ? null : (
              <>
                {' '}
                <Link
                  href={`/archive/${views.sessionId}?tab=window&layout=${views.layout.message}`}
                  className="whitespace-nowrap text-accent underline"
                >
                  Open the layout
                </Link>
              </>
            )}
          </p>
          <MoneyLine views={views} />
          <p className="text-sm text-faint">
            Received <Time iso={views.receivedAt} as="moment" /> ·{' '}
            <code>{views.model ?? 'no model stated'}</code>
            {views.sessionTitle === null || views.sessionTitle === '' ? '' : ` · in “${views.sessionTitle}”`}
          </p>
        </div>
      </div>
    </div>
  );
}

function Sums({ views }: { readonly views: WireViews }) {
  const { client, sent, limit } = views;
  const row = (name: string, left: ReactNode, right: ReactNode) => (
    <tr>
      <th scope="row" className="pr-4 text-left font-normal text-faint">
        {name}
      </th>
      <td className="pr-4 text-right">{left}</td>
      <td className="text-right">{right}</td>
    </tr>
  );
  const estimate = (value: number | null) => (
    <Num value={value} as="tokens" missing="no estimate was made of this request" />
  );
  return (
    <table aria-label="Sizes of both sides" className="shrink-0">
      <thead>
        <tr className="text-sm text-faint">
          <td />
          <th scope="col" className="pr-4 text-right font-normal">
            Agent
          </th>
          <th scope="col" className="text-right font-normal">
            Model
          </th>
        </tr>
      </thead>
      <tbody>
        {row('Messages', <Num key="c" value={client.messages} />, <Num key="s" value={sent.messages} />)}
        {row(
          'Body',
          <Num key="c" value={client.bytes} as="bytes" />,
          <Num key="s" value={sent.bytes} as="bytes" />,
        )}
        {row('Tokens, estimated', estimate(client.tokens), estimate(sent.tokens))}
        {row(
          'Limit, tokens',
          '',
          <Num key="l" value={limit} as="tokens" missing="the window is not known" />,
        )}
        {row(
          'Tokens in, counted',
          '',
          <Num key="u" value={inputTokens(views)} as="tokens" missing={UNSAID} />,
        )}
      </tbody>
    </table>
  );
}

function MoneyLine({ views }: { readonly views: WireViews }) {
  const { money } = views;
  if (money === null) {
    return (
      <p className="text-soft">
        {views.model === null
          ? 'No money: the request states no model.'
          : 'No money: Context Mode knows no price for this model, and takes no other one for it.'}
      </p>
    );
  }
  const { cost, leftOut } = money;
  return (
    <p>
      {cost === null ? (
        'Cost: the provider counted no tokens.'
      ) : (
        <>
          Cost <Money amount={cost} /> at the list price.
        </>
      )}
      {leftOut === null ? null : (
        <span
          className="text-soft"
          title={`about ${leftOut.tokens} tokens; $${leftOut.asRead} as reads, $${leftOut.asInput} as new input`}
        >
          {' '}
          Sent as well, the {tokens(leftOut.tokens)} tokens that were left out (estimated) would have cost{' '}
          {dollars(leftOut.asRead)} more if all of them were read from the cache, {dollars(leftOut.asInput)}{' '}
          if none was.
        </span>
      )}
    </p>
  );
}
