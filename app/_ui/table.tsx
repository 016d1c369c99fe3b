'use client';

import { type ColumnDef, createColumnHelper, tableFeatures, useTable } from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type MouseEvent, memo, type ReactNode, useEffect, useMemo, useRef } from 'react';
import { cx } from './cx.ts';
import { ScrollRegion } from './scroll-region.tsx';

/** How a column stands: its width in pixels (absent: it takes what is left) and the screens that have room for it. */
interface ColumnLook {
  readonly width?: number;
  readonly end?: boolean;
  readonly className?: string;
}

const features = tableFeatures({ columnMeta: {} as ColumnLook });

/** A column: its heading, what a cell shows, how it stands. */
export interface Column<Row> extends ColumnLook {
  readonly id: string;
  readonly heading: string;
  readonly cell: (row: Row) => ReactNode;
}

/** Height of a row in pixels. */
const ROW = 32;

/**
 * A table of any length: only the rows on the screen are built. The first column holds each row's own link (marked
 * `data-row`), so that keys, pointers and screen readers open a row the same way; a click anywhere in the row follows it.
 */
export function DataTable<Row extends object>(props: {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  readonly selected?: string | null;
  /** Old content that is being asked for again. */
  readonly dimmed?: boolean;
  /** Called when the end comes near. */
  readonly onEnd?: () => void;
  readonly after?: ReactNode;
}) {
  const { label, columns, rows, rowKey, selected = null, dimmed = false, onEnd, after } = props;
  const scroller = useRef<HTMLElement>(null);
  const definitions = useMemo(() => columns.map(toDefinition), [columns]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 16,
  });
  const shown = virtual.getVirtualItems();
  const first = shown[0]?.index ?? 0;
  const last = shown.at(-1)?.index ?? 0;
  const data = useMemo(() => rows.slice(first, last + 1), [rows, first, last]);
  const table = useTable({ features, columns: definitions, data, getRowId: rowKey });
  const built = table.getRowModel().rows;
  useEffect(() => {
    if (onEnd !== undefined && rows.length > 0 && last >= rows.length - 20) onEnd();
  }, [last, rows.length, onEnd]);

  const above = shown[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (shown.at(-1)?.end ?? 0);
  return (
    <ScrollRegion ref={scroller} label={label} className="min-h-0 flex-1 overflow-auto">
      <table
        aria-rowcount={rows.length + 1}
        className={cx('w-full table-fixed border-separate border-spacing-0', dimmed && 'opacity-60')}
      >
        <colgroup>
          {columns.map((column) => (
            <col key={column.id} className={column.className} width={column.width} />
          ))}
        </colgroup>
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id} aria-rowindex={1}>
              {group.headers.map((header) => (
                <th
                  key={header.id}
                  scope="col"
                  className={cellClass(
                    header.column.columnDef.meta,
                    'sticky top-0 z-10 h-7 bg-ground text-sm font-normal text-faint',
                  )}
                >
                  <table.FlexRender header={header} />
                </th>
              ))}
            </tr>
          ))}
        </thead>
        <tbody>
          <Gap height={above} />
          {shown.map(({ index }) => {
            const row = built[index - first];
            return row === undefined ? null : (
              <TableRow
                key={row.id}
                index={index}
                of={row.original}
                columns={columns}
                selected={row.id === selected}
                cells={() =>
                  row.getAllCells().map((cell) => (
                    <td key={cell.id} className={cellClass(cell.column.columnDef.meta, 'h-8')}>
                      <table.FlexRender cell={cell} />
                    </td>
                  ))
                }
              />
            );
          })}
          <Gap height={below} />
        </tbody>
      </table>
      {after}
    </ScrollRegion>
  );
}

interface RowProps {
  readonly index: number;
  /** What the row shows, and by which columns: while these are the same, so are its cells. */
  readonly of: object;
  readonly columns: unknown;
  readonly selected: boolean;
  readonly cells: () => ReactNode;
}

/** A row that stays as it is while its data does, however fast the table is scrolled. */
const TableRow = memo(
  function TableRow({ index, selected, cells }: RowProps) {
    return (
      <tr
        aria-rowindex={index + 2}
        onClick={followRow}
        className={cx(
          'group cursor-pointer has-[[data-row]:focus]:bg-hover',
          selected ? 'bg-accent-soft' : 'hover:bg-hover',
        )}
      >
        {cells()}
      </tr>
    );
  },
  (old, next) =>
    old.of === next.of &&
    old.columns === next.columns &&
    old.index === next.index &&
    old.selected === next.selected,
);

function toDefinition<Row extends object>(column: Column<Row>): ColumnDef<typeof features, Row, unknown> {
  const { id, heading, cell, width, end, className } = column;
  return createColumnHelper<typeof features, Row>().display({
    id,
    header: heading,
    cell: ({ row }) => cell(row.original),
    meta: {
      ...(width === undefined ? {} : { width }),
      ...(end === undefined ? {} : { end }),
      ...(className === undefined ? {} : { className }),
    },
  });
}

function cellClass(look: ColumnLook | undefined, more: string): string {
  return cx(
    'truncate border-b border-line px-2 first:pl-4 last:pr-4',
    look?.end === true ? 'text-right' : 'text-left',
    look?.className,
    more,
  );
}

/** Stands for rows that are not built. One cell alone: one that spans hidden columns would make them columns again. */
function Gap({ height }: { readonly height: number }) {
  if (height <= 0) return null;
  return (
    <tr>
      <td height={height} className="p-0" />
    </tr>
  );
}

/** Follows the row's own link, unless another control was meant or text is being selected. */
function followRow(event: MouseEvent<HTMLElement>): void {
  if (event.target instanceof HTMLElement && event.target.closest('a, button') !== null) return;
  if (window.getSelection()?.isCollapsed === false) return;
  event.currentTarget.querySelector<HTMLElement>('[data-row]')?.click();
}
