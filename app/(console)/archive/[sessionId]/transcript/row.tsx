'use client';

import { memo, type ReactNode } from 'react';
import { dayOf, integer } from '@/app/_lib/format.ts';
import { Badge } from '@/app/_ui/badge.tsx';
import { Button } from '@/app/_ui/button.tsx';
import { cx } from '@/app/_ui/cx.ts';
import { Icon } from '@/app/_ui/icon.tsx';
import { Time } from '@/app/_ui/time.tsx';
import { Prose, Well, Words } from '@/app/_ui/words.tsx';
import type { WireLogRow } from '@/server/api/index.ts';
import { MediaStrip } from '../../_document/media.tsx';
import { sideThreadName } from '../../_document/thread-names.ts';
import { Mark } from './mark.tsx';
import { isFolded, MAIN, type Part } from './parts.ts';
import { Fold, Rest, type RowActs, type RowState } from './row-pieces.tsx';
import { ToolLine } from './tool.tsx';

type Shown = Extract<Part, { shape: 'row' }>;

interface RowProps {
  readonly part: Shown;
  readonly state: RowState;
  readonly acts: RowActs;
}

/** One part of a transcript with its time in the margin. */
export const TranscriptRow = memo(function TranscriptRow(props: RowProps) {
  const { part, state, acts } = props;
  const { row, breaks } = part;
  const isSub = row.thread !== MAIN;
  return (
    <>
      {breaks.day === null ? null : <DayBreak at={breaks.day} />}
      {breaks.thread === null ? null : <ThreadBreak thread={breaks.thread} />}
      <article
        data-seq={row.seq}
        tabIndex={state.current ? 0 : -1}
        aria-label={`${NAMES[row.kind] ?? row.kind}, position ${row.seq}`}
        onFocus={() => acts.select(row.seq)}
        className={cx(
          'group relative flex scroll-my-16 rounded-md outline-none',
          state.current && 'bg-hover',
          'focus-visible:shadow-[inset_2px_0_0_var(--accent)]',
        )}
      >
        <div
          className="w-[58px] shrink-0 pt-[3px] pr-3 text-right font-mono text-xs text-faint data-typed:pt-[17px] max-sm:w-[46px] max-sm:pr-2"
          data-typed={row.kind === 'input' && !isSub ? '' : undefined}
        >
          {breaks.minute ? <Time iso={row.at} as="clock" /> : null}
        </div>
        <div className={cx('min-w-0 flex-1 py-0.5 pr-9', isSub && 'border-l-2 border-line pl-3')}>
          <Body part={part} state={state} acts={acts} />
        </div>
        {row.docid === null ? null : (
          <Button
            look="quiet"
            size="tiny"
            tabIndex={state.current ? 0 : -1}
            onClick={() => acts.openDocument(row)}
            aria-label={`Open the document at position ${row.seq}`}
            title="Open the document (Enter)"
            className="absolute top-0 right-1 opacity-0 group-hover:opacity-100 focus-visible:opacity-100 group-focus-within:opacity-100"
          >
            <Icon name="external" />
          </Button>
        )}
      </article>
    </>
  );
}, isSame);

/** True where nothing of a part has changed: scrolling builds no row again. */
function isSame(old: RowProps, next: RowProps): boolean {
  const [before, now] = [old.state, next.state];
  return (
    old.part === next.part &&
    old.acts === next.acts &&
    before.open === now.open &&
    before.current === now.current &&
    before.find === now.find &&
    before.hit === now.hit
  );
}

const NAMES: Readonly<Record<string, string>> = {
  input: 'Typed',
  answer: 'Answer',
  reasoning: 'Reasoning',
  tool_call: 'Tool call',
  tool_result: 'Tool result',
  injected: 'Added by the agent',
  system: 'System text',
  image: 'Image',
  file: 'File',
  compaction: 'Summary by the agent',
  unknown: 'Part of an unknown kind',
};

function Body({
  part,
  state,
  acts,
}: {
  readonly part: Shown;
  readonly state: RowState;
  readonly acts: RowActs;
}): ReactNode {
  const { row, result } = part;
  switch (row.kind) {
    case 'input':
      return (
        <div
          className={cx(
            'border-l-2 py-0.5 pl-3 text-lg',
            row.thread === MAIN ? 'mt-3 border-accent font-strong' : 'border-line-strong text-soft',
          )}
        >
          <Prose text={row.body} find={state.find} now={state.hit} />
          <Rest row={row} acts={acts} />
          <MediaStrip row={row} />
        </div>
      );
    case 'answer':
      return (
        <div className="text-lg">
          <Prose text={row.body} find={state.find} now={state.hit} />
          <Rest row={row} acts={acts} />
        </div>
      );
    case 'tool_call':
    case 'tool_result':
      return <ToolLine row={row} result={result} state={state} acts={acts} />;
    case 'image':
    case 'file':
      return <MediaStrip row={row} />;
    default:
      return isFolded(row.kind) ? <FoldedText row={row} state={state} acts={acts} /> : <Mark row={row} />;
  }
}

/** Reasoning, injected and system text: one faint line that unfolds. */
function FoldedText({
  row,
  state,
  acts,
}: {
  readonly row: WireLogRow;
  readonly state: RowState;
  readonly acts: RowActs;
}) {
  const glimpse = row.body.replace(/\s+/g, ' ').trim().slice(0, 160);
  return (
    <div className="text-faint">
      <button
        type="button"
        aria-expanded={state.open}
        tabIndex={state.current ? 0 : -1}
        onClick={() => acts.toggle(row.seq)}
        className="flex h-6 w-full min-w-0 items-center gap-1.5 text-left text-sm hover:text-text"
      >
        <Fold open={state.open} />
        <span className={cx('shrink-0', row.kind === 'reasoning' && 'italic')}>{NAMES[row.kind]}</span>
        {state.open ? (
          <span className="shrink-0">· {integer(row.length)} characters</span>
        ) : (
          <span className="min-w-0 truncate opacity-90">
            ·{' '}
            {glimpse === ''
              ? row.kind === 'reasoning'
                ? 'kept by the provider, not readable'
                : 'no text of its own'
              : glimpse}
          </span>
        )}
      </button>
      {state.open ? (
        <div className="pl-[22px] text-soft">
          {row.kind === 'unknown' ? (
            <Well>
              <Words text={row.body} find={state.find} now={state.hit} />
            </Well>
          ) : (
            <Prose text={row.body} find={state.find} now={state.hit} />
          )}
          <Rest row={row} acts={acts} />
          <MediaStrip row={row} />
        </div>
      ) : null}
    </div>
  );
}

function DayBreak({ at }: { readonly at: number }) {
  return (
    <h2 className="flex items-center gap-3 pt-4 pb-2 text-sm text-faint">
      <span className="w-[46px] max-sm:w-8" />
      {dayOf(at)}
      <span className="h-px flex-1 bg-line" />
    </h2>
  );
}

function ThreadBreak({ thread }: { readonly thread: string }) {
  return (
    <p className="flex items-center pt-2 pb-1 pl-[58px] text-sm text-faint max-sm:pl-[46px]">
      {thread === MAIN ? 'Back on the main line' : <ThreadName thread={thread} />}
    </p>
  );
}

function ThreadName({ thread }: { readonly thread: string }) {
  const side = sideThreadName(thread);
  if (side !== null) return <Badge>{side}</Badge>;
  return (
    <span className="flex items-center gap-2">
      <Badge>Sub-agent</Badge>
      <span className="font-mono text-xs">{thread}</span>
    </span>
  );
}
