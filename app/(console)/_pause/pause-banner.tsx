'use client';

import { Button } from '@/app/_ui/button.tsx';
import { Time } from '@/app/_ui/time.tsx';
import { usePause } from './use-pause.ts';

/** Says on every screen that nothing is recorded, and nothing while it is. */
export function PauseBanner() {
  const { pause, end } = usePause();
  if (pause === undefined || pause === null) return null;
  return (
    <div
      role="status"
      className="flex shrink-0 items-center justify-center gap-2 bg-warn-soft px-4 py-1 text-warn"
    >
      <strong>Paused</strong>
      <span>
        {pause.until === null ? null : (
          <>
            until <Time iso={pause.until} as="moment" />:{' '}
          </>
        )}
        nothing is recorded, bytes pass.
      </span>
      <Button size="small" onClick={end}>
        Resume
      </Button>
    </div>
  );
}
