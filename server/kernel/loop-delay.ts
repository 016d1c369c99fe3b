import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How often the monitor looks, in milliseconds: what it measures is at least that long. */
const RESOLUTION_MS = 10;
const EACH_MS = 1_000;

/**
 * Watches the event loop of the calling thread for as long as it lives, and does not keep it alive.
 * @param tell told once a second of the longest time in it, in seconds, that something ready to run had to wait
 */
export function watchLoop(tell: (seconds: number) => void): void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  setInterval(() => {
    const { max } = delays;
    delays.reset();
    tell(Math.max(0, max / 1e9 - RESOLUTION_MS / 1_000));
  }, EACH_MS).unref();
}
