import { integer } from '@/app/_lib/format.ts';
import { buttonClass } from '@/app/_ui/button.tsx';
import { cx } from '@/app/_ui/cx.ts';
import { Icon } from '@/app/_ui/icon.tsx';
import type { WireLogRow } from '@/server/api/index.ts';

/** What a row can ask of the transcript around it. */
export interface RowActs {
  readonly toggle: (seq: number) => void;
  readonly openDocument: (row: WireLogRow) => void;
  readonly select: (seq: number) => void;
}

/** How one part stands in the transcript at this moment. */
export interface RowState {
  readonly open: boolean;
  readonly current: boolean;
  /** Words of the search, empty: none; `hit`: this part is the hit that the search stands at. */
  readonly find: string;
  readonly hit: boolean;
}

/** The sign of a fold. */
export function Fold({ open }: { readonly open: boolean }) {
  return (
    <Icon
      name="chevron"
      className={cx('size-3 shrink-0 transition-transform duration-100', open && 'rotate-90')}
    />
  );
}

/** The way to what a transcript cuts off. */
export function Rest({ row, acts }: { readonly row: WireLogRow; readonly acts: RowActs }) {
  const rest = row.length - row.body.length;
  if (rest <= 0) return null;
  return (
    <button
      type="button"
      onClick={() => acts.openDocument(row)}
      className={buttonClass({ look: 'quiet', size: 'small' }, 'my-1 -ml-2 text-accent')}
    >
      {integer(rest)} more characters
    </button>
  );
}
