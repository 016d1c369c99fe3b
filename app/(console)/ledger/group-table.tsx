'use client';

import Link from 'next/link';
import { useMemo } from 'react';
import { dayOf } from '@/app/_lib/format.ts';
import { Money } from '@/app/_ui/money.tsx';
import { Num } from '@/app/_ui/number.tsx';
import { type Column, DataTable } from '@/app/_ui/table.tsx';
import type { WireLedgerGroups, WireLedgerTotals } from '@/server/api/index.ts';
import type { LedgerState } from './ledger-state.ts';
import { differenceWords, negated } from './words.ts';

type Row = WireLedgerGroups['rows'][number];

/** What a group is called. */
export function nameOfGroup(by: LedgerState['by'], { key, name }: Pick<Row, 'key' | 'name'>): string {
  if (key === null) return by === 'session' || by === 'project' ? 'None, or deleted' : 'Unknown';
  if (by === 'day') return dayOf(Date.parse(`${key}T12:00:00Z`), { timeZone: 'UTC' });
  if (by === 'model') return key;
  return name ?? (by === 'session' ? 'Untitled session' : 'Unnamed project');
}

/** Where a group is opened: a session's cost, else the ledger of it alone. Null: there is nothing more to see. */
function addressOf(by: LedgerState['by'], key: string | null): string | null {
  if (key === null) return null;
  if (by === 'session') return `/archive/${key}?tab=cost`;
  if (by === 'project') return `/ledger?by=session&project=${key}`;
  if (by === 'model') return `/ledger?by=session&model=${encodeURIComponent(key)}`;
  return `/ledger?by=session&span=between&since=${key}&until=${key}`;
}

/** The sums by day, session, project or model; a row leads to what is in it. */
export function GroupTable(props: {
  readonly by: LedgerState['by'];
  readonly paid: LedgerState['paid'];
  readonly rows: readonly Row[];
  readonly dimmed: boolean;
}) {
  const { by, paid, rows, dimmed } = props;
  const columns = useMemo(() => columnsOf(by, paid), [by, paid]);
  return (
    <DataTable label="Costs" columns={columns} rows={rows} rowKey={(row) => row.key ?? ''} dimmed={dimmed} />
  );
}

function columnsOf(by: LedgerState['by'], paid: LedgerState['paid']): readonly Column<Row>[] {
  const of = (row: Row): WireLedgerTotals => row[paid];
  return [
    { id: 'name', heading: HEADINGS[by], cell: (row) => <NameCell by={by} row={row} /> },
    {
      id: 'requests',
      heading: 'Requests',
      width: 84,
      end: true,
      className: 'max-md:hidden',
      cell: (row) => <Num value={of(row).requests} />,
    },
    {
      id: 'read',
      heading: 'Read from cache',
      width: 120,
      end: true,
      className: 'max-lg:hidden',
      cell: (row) => <Num value={of(row).tokens.read} as="tokens" />,
    },
    {
      id: 'direct',
      heading: 'Directly',
      width: 92,
      end: true,
      className: 'max-sm:hidden',
      cell: (row) => <Money amount={of(row).compared.direct} />,
    },
    { id: 'actual', heading: 'Paid', width: 92, end: true, cell: (row) => <Money amount={of(row).actual} /> },
    {
      id: 'saved',
      heading: 'Difference',
      width: 160,
      end: true,
      cell: (row) => differenceWords(negated(of(row).saved)),
    },
  ];
}

const HEADINGS = { day: 'Day', session: 'Session', project: 'Project', model: 'Model' } as const;

function NameCell({ by, row }: { readonly by: LedgerState['by']; readonly row: Row }) {
  const href = addressOf(by, row.key);
  const name = nameOfGroup(by, row);
  if (href === null) return <span className="text-faint">{name}</span>;
  return (
    <Link data-row="" href={href} title={name} className="font-strong outline-none group-hover:underline">
      {by === 'model' ? <span className="font-mono text-sm">{name}</span> : name}
    </Link>
  );
}
