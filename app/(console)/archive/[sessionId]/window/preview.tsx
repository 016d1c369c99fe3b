'use client';

import { useQuery } from '@tanstack/react-query';
import { integer, tokens } from '@/app/_lib/format.ts';
import { failureOf, useTRPC } from '@/app/_lib/trpc.tsx';
import { Money } from '@/app/_ui/money.tsx';
import { Num } from '@/app/_ui/number.tsx';
import { Facts } from '@/app/_ui/pane.tsx';
import { ErrorState, Loading } from '@/app/_ui/states.tsx';
import type { WireLayoutPreview } from '@/server/api/index.ts';

const DUE: Readonly<Record<string, string>> = {
  pause: 'at the next typed message: a pause has passed',
  window: 'at the next request: the prompt passes its limit',
  cost: 'at the next typed message: the cheaper requests have paid for it',
};

/** What the next layout would be and cost, if it were made at the session's newest request. */
export function Preview({ sessionId }: { readonly sessionId: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.window.preview.queryOptions({ id: sessionId }));
  if (query.isError) {
    return (
      <ErrorState
        title="The next layout could not be looked at"
        failure={failureOf(query.error)}
        retry={() => void query.refetch()}
      />
    );
  }
  if (query.data === undefined) return <Loading what="the next layout" />;
  const { preview } = query.data;
  if (preview === null) {
    return (
      <p className="px-4 pt-1 text-soft">
        Nothing to lay out: the conversation is short, has had no request since Context Mode was started, or
        has no place where it may be cut.
      </p>
    );
  }
  return <Shown preview={preview} />;
}

function Shown({ preview }: { readonly preview: WireLayoutPreview }) {
  const { money, due, leaves, indexTokens, limit } = preview;
  return (
    <Facts
      facts={[
        [
          'Prompt',
          <span key="p">
            <Num value={preview.tokensNow} as="tokens" /> would become{' '}
            <Num value={preview.tokensThen} as="tokens" /> tokens
            {limit === null ? '' : `, limit ${tokens(limit)}`} <span className="text-faint">(estimates)</span>
          </span>,
        ],
        [
          'Leaves',
          `${integer(leaves)} message${leaves === 1 ? '' : 's'}; their index has about ${tokens(indexTokens)} tokens`,
        ],
        [
          'Money',
          money === null ? (
            'not known: this model has no price here'
          ) : (
            <span key="m">
              A request reads <Money amount={money.readNow} /> from the cache now,{' '}
              <Money amount={money.readThen} /> then; writing the new prompt costs{' '}
              <Money amount={money.write} /> once, at most
            </span>
          ),
        ],
        [
          'Pays after',
          money === null
            ? 'not known'
            : money.breakEven === null
              ? 'never: it would not be cheaper to read'
              : `${integer(money.breakEven)} request${money.breakEven === 1 ? '' : 's'}`,
        ],
        ['Due', due === null ? 'nothing is due at the moment' : (DUE[due] ?? due)],
      ]}
    />
  );
}
