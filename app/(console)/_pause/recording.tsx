'use client';

import { Button } from '@/app/_ui/button.tsx';
import { Time } from '@/app/_ui/time.tsx';
import { usePause } from './use-pause.ts';

const HOUR_SECONDS = 3_600;

/** Whether conversations are recorded, and the way to stop that for a while. */
export function Recording() {
  const { pause, begin, end } = usePause();
  if (pause === undefined || pause === null) {
    return (
      <span className="flex flex-wrap items-center gap-2">
        On: every conversation through a door is kept, masked
        <Button size="small" disabled={pause === undefined} onClick={() => begin(HOUR_SECONDS)}>
          Pause for an hour
        </Button>
        <Button size="small" disabled={pause === undefined} onClick={() => begin()}>
          Pause
        </Button>
      </span>
    );
  }
  return (
    <span className="flex flex-wrap items-center gap-2">
      <span>
        Paused since <Time iso={pause.since} as="moment" />
        {pause.until === null ? null : (
          <>
            , until <Time iso={pause.until} as="moment" />
          </>
        )}
        : nothing is recorded and nothing new begun
      </span>
      <Button size="small" onClick={end}>
        Resume
      </Button>
    </span>
  );
}
