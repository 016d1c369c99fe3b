'use client';

import { useQuery } from '@tanstack/react-query';
import { useTRPC } from '@/app/_lib/trpc.tsx';

/** Says what is not well, and nothing while all is. */
export function HealthNotice() {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.status.health.queryOptions(undefined, { refetchInterval: 15_000 }));
  const ill = data?.parts.filter((part) => !part.ok) ?? [];
  if (ill.length === 0) return null;
  return (
    <div role="alert" className="shrink-0 border-b border-line bg-warn-soft px-4 py-2">
      {ill.map((part) => (
        <p key={part.name} className="text-warn">
          <strong className="capitalize">{part.name}</strong>: {part.note ?? 'does not answer'}
        </p>
      ))}
    </div>
  );
}
