'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { AGENT_NAMES } from '@/app/_lib/agents.ts';
import { failureOf, useTRPC } from '@/app/_lib/trpc.tsx';
import { buttonClass } from '@/app/_ui/button.tsx';
import { CopyButton } from '@/app/_ui/copy-button.tsx';
import { Num } from '@/app/_ui/number.tsx';
import { Facts, Pane } from '@/app/_ui/pane.tsx';
import { ScrollRegion } from '@/app/_ui/scroll-region.tsx';
import { ErrorState, Loading } from '@/app/_ui/states.tsx';
import { Time } from '@/app/_ui/time.tsx';
import { Words } from '@/app/_ui/words.tsx';
import type { WireRequest } from '@/server/api/index.ts';
import { Outcome } from './request-table.tsx';
import { KIND_WORDS, recallWords } from './words.ts';

const UNSAID = 'the provider did not say';

/** One request at the right of the list: how it ended, its tokens, its times. */
export function RequestPane({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.requests.get.queryOptions({ id }));
  return (
    <Pane
      label="Request"
      title="Request"
      onClose={onClose}
      actions={
        <Link href={`/archive/request/${id}`} className={buttonClass({ size: 'small' })}>
          What the model saw
        </Link>
      }
    >
      {query.isError ? (
        <ErrorState
          title="This request could not be read"
          failure={failureOf(query.error)}
          retry={() => void query.refetch()}
        />
      ) : query.data === undefined ? (
        <Loading what="the request" />
      ) : (
        <Details row={query.data} />
      )}
    </Pane>
  );
}

function Details({ row }: { readonly row: WireRequest }) {
  return (
    <ScrollRegion label="Request" className="min-h-0 flex-1 overflow-auto">
      {row.error === null ? null : (
        <div className="mx-4 mt-3 rounded-md bg-bad-soft px-3 py-2">
          <p className="text-sm text-bad">The provider's own words ({row.error.type})</p>
          <p className="wrap-text">
            <Words text={row.error.message} />
          </p>
        </div>
      )}
      {row.note === null ? null : (
        <p className="mx-4 mt-3 rounded-md bg-warn-soft px-3 py-2 text-warn">{row.note}</p>
      )}
      <Facts
        facts={[
          ['Outcome', <Outcome key="outcome" row={row} />],
          ['For', `${KIND_WORDS[row.kind] ?? row.kind}${row.retry ? ', the same again (retry)' : ''}`],
          ['Agent', AGENT_NAMES[row.agent]],
          ['Model', <code key="model">{row.model ?? 'not stated'}</code>],
          ['Address', <code key="path">{`${row.door}${row.path}`}</code>],
          ['Received', <Time key="received" iso={row.receivedAt} as="moment" />],
          ['Answer', row.stream ? 'streamed' : 'in one piece'],
          ['Recall', recallWords(row)],
          ['Id', <Id key="id" id={row.id} />],
        ]}
      />
      <Group title="Tokens, as the provider counted them" />
      <Facts
        facts={(
          [
            ['New', row.usage?.input],
            ['From cache', row.usage?.cacheRead],
            ['To cache, 5 min', row.usage?.cacheWrite5m],
            ['To cache, 1 h', row.usage?.cacheWrite1h],
            ['To cache, other', row.usage?.cacheWriteOther],
            ['Answer', row.usage?.output],
            ['Reasoning', row.usage?.reasoning],
          ] as const
        ).map(([name, value]) => [name, <Num key={name} value={value ?? null} missing={UNSAID} />] as const)}
      />
      <Group title="Times from the request's last byte" />
      <Facts
        facts={[
          ['Gateway', <Num key="own" value={row.ownMs} as="ms" />],
          ['Answer began', <Num key="head" value={row.headMs} as="ms" missing="no answer came" />],
          ['First byte', <Num key="first" value={row.firstByteMs} as="ms" missing="no byte came" />],
          ['End', <Num key="total" value={row.totalMs} as="ms" missing="still running" />],
        ]}
      />
      <Group title="Sizes" />
      <Facts
        facts={[
          ['Request', <Num key="request" value={row.requestBytes} as="bytes" />],
          ['Answer', <Num key="response" value={row.responseBytes} as="bytes" missing="not ended" />],
        ]}
      />
    </ScrollRegion>
  );
}

function Group({ title }: { readonly title: string }) {
  return <h3 className="border-t border-line px-4 pt-2 text-sm text-faint">{title}</h3>;
}

function Id({ id }: { readonly id: string }) {
  return (
    <span className="flex items-center gap-1">
      <code className="break-all">{id}</code>
      <CopyButton text={id} what="the request id" />
    </span>
  );
}
