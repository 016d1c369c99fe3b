'use client';

import { ago, clockTime, exactMoment, shortMoment, startOfDay } from '@/app/_lib/format.ts';
import { useNow } from '@/app/_lib/now.tsx';

/** A moment in the viewer's zone: relative within a day, exact in both zones on hover. `iso` is ISO 8601. */
export function Time({
  iso,
  as = 'relative',
}: {
  readonly iso: string;
  readonly as?: 'relative' | 'clock' | 'moment';
}) {
  const now = useNow();
  const at = Date.parse(iso);
  if (now === 0) return <time dateTime={iso} />;
  const today = at >= startOfDay(now);
  const shown =
    as === 'clock'
      ? clockTime(at)
      : as === 'moment'
        ? today
          ? clockTime(at)
          : shortMoment(at)
        : (ago(at, now) ?? shortMoment(at));
  return (
    <time dateTime={iso} title={exactMoment(at)} className="whitespace-nowrap">
      {shown}
    </time>
  );
}
