'use client';

import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query';
import { useQueryStates } from 'nuqs';
import { useKeys, walkRows } from '@/app/_lib/keys.tsx';
import { useNow } from '@/app/_lib/now.tsx';
import { failureOf, useTRPC } from '@/app/_lib/trpc.tsx';
import { Button } from '@/app/_ui/button.tsx';
import { ScrollRegion } from '@/app/_ui/scroll-region.tsx';
import { Select } from '@/app/_ui/select.tsx';
import { EmptyState, ErrorState, Loading } from '@/app/_ui/states.tsx';
import type { WireLedgerGroups } from '@/server/api/index.ts';
import { Page } from '../_frame/page.tsx';
import { ExportMenu } from '../archive/_filters/export-menu.tsx';
import { ProjectFilter } from '../archive/_filters/project-filter.tsx';
import { TimeFilter } from '../archive/_filters/time-filter.tsx';
import { CostBars } from './cost-bars.tsx';
import { FeatureLines } from './feature-lines.tsx';
import { Figures } from './figures.tsx';
import { GroupTable, nameOfGroup } from './group-table.tsx';
import { filtersOf, GROUPING_CHOICES, LEDGER_STATE, type LedgerState, PAID_CHOICES } from './ledger-state.ts';

/** What requests cost, what they would have cost directly, and what each feature made of it. All of it in the address. */
export function LedgerScreen() {
  const trpc = useTRPC();
  const now = useNow();
  const [state, setState] = useQueryStates(LEDGER_STATE, { history: 'replace' });
  const filters = filtersOf(state, now);
  const tz = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const sums = useQuery(
    trpc.ledger.sums.queryOptions(filters === null ? skipToken : { ...filters, by: state.by, tz }, {
      placeholderData: keepPreviousData,
    }),
  );
  useKeys([
    ['j', () => walkRows(1)],
    ['k', () => walkRows(-1)],
  ]);
  return (
    <Page
      title="Ledger"
      aside={
        // The zone is the browser's: the server does not know it.
        now === 0 ? null : <span className="pl-1 text-sm text-faint max-sm:hidden">days in {tz}</span>
      }
      actions={<ExportMenu kind="ledger" what="Costs" query={filters} />}
    >
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-4 py-2">
        <Select
          label="Rows"
          value={state.by}
          onChange={(by) => void setState({ by })}
          choices={GROUPING_CHOICES}
        />
        <TimeFilter state={state} onChange={(next) => void setState(next)} />
        <ProjectFilter value={state.project} onChange={(project) => void setState({ project })} />
        <Select
          label="Money"
          value={state.paid}
          onChange={(paid) => void setState({ paid })}
          choices={PAID_CHOICES}
        />
        {state.model === '' ? null : (
          <Button look="quiet" onClick={() => void setState({ model: null })}>
            {state.model} ×
          </Button>
        )}
      </div>
      {sums.isError ? (
        <ErrorState
          title="The ledger does not answer"
          failure={failureOf(sums.error)}
          retry={() => void sums.refetch()}
        />
      ) : sums.data === undefined ? (
        <Loading what="the ledger" />
      ) : (
        <Sums state={state} sums={sums.data} dimmed={sums.isPlaceholderData} />
      )}
    </Page>
  );
}

function Sums(props: {
  readonly state: LedgerState;
  readonly sums: WireLedgerGroups;
  readonly dimmed: boolean;
}) {
  const { state, sums, dimmed } = props;
  const { by, paid } = state;
  const total = sums.total[paid];
  const other = sums.total[paid === 'billed' ? 'subscription' : 'billed'];
  if (total.requests === 0) {
    return (
      <EmptyState
        title={
          paid === 'billed' ? 'Nothing was billed in this time' : 'No request of a subscription in this time'
        }
      >
        <p>
          Each request is booked as it ends, beside what it would have cost if your agent had sent it
          directly.
        </p>
        {other.requests === 0 ? null : (
          <p>
            {other.requests} requests {paid === 'billed' ? 'of a subscription are kept apart' : 'were billed'}
            : choose {paid === 'billed' ? 'Subscription' : 'Billed'} above.
          </p>
        )}
      </EmptyState>
    );
  }
  const shown = sums.rows.filter((row) => row[paid].requests > 0);
  const bars = shown.map((row) => ({
    key: row.key ?? '',
    label: nameOfGroup(by, row),
    actual: row[paid].actual,
    direct: row[paid].compared.requests === 0 ? null : row[paid].compared.direct,
    mark: null,
  }));
  const newestFirst = by === 'day' ? shown.toReversed() : byCost(shown, paid);
  return (
    <>
      <Figures totals={total} listed={paid === 'subscription'} />
      <ScrollRegion
        label="By feature"
        className="max-h-[45%] shrink-0 overflow-auto border-b border-line pb-2"
      >
        <FeatureLines totals={total} />
      </ScrollRegion>
      {by === 'day' ? <CostBars bars={bars} label="Cost of each day" /> : null}
      <GroupTable by={by} paid={paid} rows={newestFirst} dimmed={dimmed} />
    </>
  );
}

/** The dearest first. */
function byCost(rows: WireLedgerGroups['rows'], paid: LedgerState['paid']) {
  return rows.toSorted((one, other) => Number(other[paid].actual) - Number(one[paid].actual));
}
