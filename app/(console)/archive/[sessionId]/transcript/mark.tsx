import { Badge } from '@/app/_ui/badge.tsx';
import type { WireLogRow } from '@/server/api/index.ts';

const WORDS: Readonly<Record<string, readonly [words: string, tone: 'plain' | 'warn' | 'bad']>> = {
  head_move: ['Rewound: the conversation goes on from an earlier point', 'plain'],
  client_compaction: ['The agent compacted the conversation', 'plain'],
  partial_answer: ['An answer broke off here', 'warn'],
  request_failed: ['A request failed', 'bad'],
};

/** An event that nobody said: a line across the transcript with its small facts. */
export function Mark({ row }: { readonly row: WireLogRow }) {
  const [words, tone] = WORDS[row.kind] ?? [row.kind, 'plain'];
  const facts = Object.entries(row.data ?? {}).filter(([, value]) => value !== null);
  return (
    <div className="flex min-h-6 flex-wrap items-center gap-2 text-sm text-soft">
      <Badge tone={tone}>{words}</Badge>
      {facts.map(([name, value]) => (
        <span key={name} className="font-mono text-xs text-faint">
          {name}={String(value)}
        </span>
      ))}
      {row.body === '' ? null : <span className="wrap-text">{row.body}</span>}
    </div>
  );
}
