import { parseAsString, parseAsStringLiteral } from 'nuqs';
import { boundsOf, SPAN_STATE, type SpanState } from '../archive/_filters/time-span.ts';

const GROUPINGS = ['day', 'session', 'project', 'model'] as const;
const PAID = ['billed', 'subscription'] as const;

/** What stands in the address of the ledger. */
export const LEDGER_STATE = {
  by: parseAsStringLiteral(GROUPINGS).withDefault('day'),
  paid: parseAsStringLiteral(PAID).withDefault('billed'),
  project: parseAsString.withDefault(''),
  model: parseAsString.withDefault(''),
  ...SPAN_STATE,
};

/** The values of {@link LEDGER_STATE}. */
export interface LedgerState extends SpanState {
  readonly by: (typeof GROUPINGS)[number];
  /** Money that was billed, or what a subscription's requests would have cost at list price. */
  readonly paid: (typeof PAID)[number];
  readonly project: string;
  readonly model: string;
}

/** What rows are summed by, as choices. */
export const GROUPING_CHOICES = [
  { value: 'day', label: 'By day' },
  { value: 'session', label: 'By session' },
  { value: 'project', label: 'By project' },
  { value: 'model', label: 'By model' },
] as const;

/** Whose money is shown, as choices. */
export const PAID_CHOICES = [
  { value: 'billed', label: 'Billed' },
  { value: 'subscription', label: 'Subscription' },
] as const;

/** The filters as the API takes them; null: the bounds are not known yet. `now` as {@link boundsOf} takes it. */
export function filtersOf(state: LedgerState, now: number): Readonly<Record<string, string>> | null {
  const bounds = boundsOf(state, now);
  if (bounds === null) return null;
  const { project, model } = state;
  return {
    ...Object.fromEntries(Object.entries({ project, model }).filter(([, value]) => value !== '')),
    ...bounds,
  };
}
