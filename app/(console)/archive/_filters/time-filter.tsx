'use client';

import { DayInput } from '@/app/_ui/input.tsx';
import { Select } from '@/app/_ui/select.tsx';
import type { SpanState } from './time-span.ts';

const CHOICES = [
  { value: 'all', label: 'Any time' },
  { value: 'today', label: 'Today' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
  { value: 'between', label: 'Between…' },
] as const;

/** Narrows a list to a span of time: a usual one, or from one day to another. */
export function TimeFilter(props: {
  readonly state: SpanState;
  readonly onChange: (next: Partial<SpanState>) => void;
}) {
  const { state, onChange } = props;
  return (
    <>
      <Select
        label="Time"
        value={state.span}
        onChange={(span) => onChange(span === 'between' ? { span } : { span, since: '', until: '' })}
        choices={CHOICES}
      />
      {state.span === 'between' ? (
        <span className="flex items-center gap-1.5">
          <DayInput label="From day" value={state.since} onChange={(since) => onChange({ since })} />
          <span className="text-faint">to</span>
          <DayInput label="To day" value={state.until} onChange={(until) => onChange({ until })} />
        </span>
      ) : null}
    </>
  );
}
