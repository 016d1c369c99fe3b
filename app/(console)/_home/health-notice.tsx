'use client';

import { useQuery } from '@tanstack/react-query';
import { useTRPC } from '@/app/_lib/trpc.tsx';

/** Says what is not well, and nothing while all is. */
export function HealthNotice() {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.status.health.queryOptions(undefined, { refetchInterval: 15_000 }));
  const ill = data?.parts.filter((part) => !part.ok) ?? [];
  const recall = data?.recall.note ?? null;
  if (ill.length === 0 && recall === null) return null;
  return (
    <div role="alert" className="shrink-0 border-b border-line bg-warn-soft px-4 py-2">
      {recall === null ? null : (
        <p className="text-warn">
          <strong>Recall</strong>: {recall}
        </p>
      )}
      {ill.map((part) => (
        <p key={part.name} className="text-warn">
          <strong className="capitalize">{part.name}</strong>: {part.note ?? 'does not answer'}
        </p>
      ))}
    </div>
  );
}
