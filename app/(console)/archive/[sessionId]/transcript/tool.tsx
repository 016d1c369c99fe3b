'use client';

import { Badge } from '@/app/_ui/badge.tsx';
import { cx } from '@/app/_ui/cx.ts';
import { Icon } from '@/app/_ui/icon.tsx';
import { Num } from '@/app/_ui/number.tsx';
import { Well, Words } from '@/app/_ui/words.tsx';
import type { WireLogRow } from '@/server/api/index.ts';
import { ToolInput } from '../../_document/input.tsx';
import { MediaStrip } from '../../_document/media.tsx';
import { Fold, Rest, type RowActs, type RowState } from './row-pieces.tsx';

interface ToolProps {
  readonly row: WireLogRow;
  readonly result: WireLogRow | null;
  readonly state: RowState;
  readonly acts: RowActs;
}

/** A tool call as one line that unfolds to its input and its result. A result without its call looks the same. */
export function ToolLine({ row, result, state, acts }: ToolProps) {
  const outcome = row.kind === 'tool_result' ? row : result;
  const failed = outcome?.isError === true;
  return (
    <div>
      <button
        type="button"
        aria-expanded={state.open}
        tabIndex={state.current ? 0 : -1}
        onClick={() => acts.toggle(row.seq)}
        className="flex h-6 w-full min-w-0 items-center gap-1.5 text-left font-mono text-sm text-soft hover:text-text"
      >
        <Fold open={state.open} />
        <span className={cx('shrink-0 font-strong', failed ? 'text-bad' : 'text-text')}>
          {row.tool ?? 'result'}
        </span>
        <span className="min-w-0 truncate">
          <Words
            text={row.mainInput ?? (row.kind === 'tool_result' ? glimpse(row.body) : '')}
            find={state.find}
            now={state.hit}
          />
        </span>
        <span className="ml-auto flex shrink-0 items-center gap-2 pl-2 text-xs text-faint">
          {outcome !== null && outcome.media > 0 ? <Icon name="image" /> : null}
          {failed ? <Badge tone="bad">failed</Badge> : null}
          {outcome === null ? <Badge>no result</Badge> : null}
          {outcome === null || outcome.durationMs === null ? null : (
            <Num value={outcome.durationMs} as="ms" />
          )}
        </span>
      </button>
      {state.open ? (
        <div className="pt-0.5 pb-1 pl-[18px]">
          {row.kind === 'tool_call' ? <ToolInput json={row.body} find={state.find} now={state.hit} /> : null}
          {outcome === null ? null : (
            <Well label={failed ? 'Result, marked as an error' : 'Result'}>
              {outcome.body === '' ? (
                <span className="text-faint">Empty</span>
              ) : (
                <Words text={outcome.body} find={state.find} now={state.hit} />
              )}
            </Well>
          )}
          {outcome === null ? null : <MediaStrip row={outcome} />}
          <Rest
            row={
              outcome !== null && outcome.length > outcome.body.length
                ? { ...outcome, docid: outcome.docid ?? row.docid }
                : row
            }
            acts={acts}
          />
        </div>
      ) : null}
    </div>
  );
}

function glimpse(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 160);
}
