'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { integer, tokens } from '@/app/_lib/format.ts';
import { failureOf, useTRPC } from '@/app/_lib/trpc.tsx';
import { Facts, Pane } from '@/app/_ui/pane.tsx';
import { ScrollRegion } from '@/app/_ui/scroll-region.tsx';
import { ErrorState, Loading } from '@/app/_ui/states.tsx';
import { Time } from '@/app/_ui/time.tsx';
import type { WireLayoutDetail } from '@/server/api/index.ts';
import { KeptText } from '../../../_recall/kept-text.tsx';
import { LAYOUT_REASONS } from '../../../_recall/words.ts';

/** One layout at the right: why it was made, where it cuts, what left, and its index. */
export function LayoutPane(props: {
  readonly sessionId: string;
  readonly message: string;
  readonly onClose: () => void;
}) {
  const { sessionId, message, onClose } = props;
  const trpc = useTRPC();
  const query = useQuery(trpc.window.layout.queryOptions({ id: sessionId, message }));
  return (
    <Pane label="Layout" title="Layout" onClose={onClose}>
      {query.isError ? (
        <ErrorState
          title="This layout could not be read"
          failure={failureOf(query.error)}
          retry={() => void query.refetch()}
        />
      ) : query.data === undefined ? (
        <Loading what="the layout" />
      ) : (
        <Details sessionId={sessionId} layout={query.data} />
      )}
    </Pane>
  );
}

function Details({ sessionId, layout }: { readonly sessionId: string; readonly layout: WireLayoutDetail }) {
  const { content } = layout;
  return (
    <ScrollRegion label="Layout" className="min-h-0 flex-1 overflow-auto">
      <Facts
        facts={[
          ['Made', <Time key="at" iso={layout.at} as="moment" />],
          ['Why', LAYOUT_REASONS[layout.reason] ?? layout.reason],
          [
            'Prompt',
            `${tokens(layout.tokensBefore)} became ${tokens(layout.tokensAfter)} tokens (estimates)`,
          ],
          ...(content === null
            ? ([['View', "the agent's own messages, from here on"]] as const)
            : ([
                [
                  'Left',
                  `${integer(layout.left)} message${layout.left === 1 ? '' : 's'} in front of the cut`,
                ],
                ['Cut', <Boundary key="cut" sessionId={sessionId} seq={content.boundarySeq} />],
                ['Index', `${tokens(content.indexTokens)} tokens (estimated)`],
                ['Kept', keptWords(content.settings.keepRecent)],
                [
                  'Limit',
                  content.settings.contextLimit === null
                    ? 'by the rule'
                    : `${tokens(content.settings.contextLimit)} tokens`,
                ],
                ['Times in', content.settings.timeZone],
              ] as const)),
          ['Thread', layout.thread === 'main' ? 'main line' : <code key="t">{layout.thread}</code>],
          ['Tool', layout.choices.tool === null ? 'none' : 'context-mode-search'],
          ['Trimming', layout.choices.trimming === null ? 'off' : 'on'],
        ]}
      />
      {content === null ? null : (
        <div className="border-t border-line px-4 py-2">
          <h3 className="text-sm text-faint">Index, in the place of what left</h3>
          <KeptText text={layout.index} masked={layout.masked} />
          {layout.memory === null ? null : (
            <>
              <h3 className="pt-2 text-sm text-faint">Memory, frozen with the layout</h3>
              <KeptText text={layout.memory} masked={0} />
            </>
          )}
        </div>
      )}
    </ScrollRegion>
  );
}

function Boundary({ sessionId, seq }: { readonly sessionId: string; readonly seq: number | null }) {
  if (seq === null) return 'at a message that is not in the log of this session';
  return (
    <Link href={`/archive/${sessionId}?at=${seq}`} className="text-accent underline">
      before position {integer(seq)} of the transcript
    </Link>
  );
}

function keptWords(keepRecent: string | number): string {
  return typeof keepRecent === 'number'
    ? `${tokens(keepRecent)} tokens of the newest part`
    : `preset ${keepRecent}`;
}
