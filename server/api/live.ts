import type { ApiServices, LiveEvent } from './services.ts';
import { reading, router } from './trpc.ts';

/** What a console is told: `hello` once the line stands, then which sessions changed. */
export type LiveMessage =
  | { readonly kind: 'hello' }
  | { readonly kind: 'changed'; readonly sessionIds: readonly (string | null)[] };

/**
 * Live events as they come until `signal` aborts. Events that arrive while the reader is busy are told together, each
 * session once, so that a slow reader never makes a queue grow beyond the number of sessions.
 */
export async function* liveMessages(
  live: ApiServices['live'],
  signal: AbortSignal,
): AsyncGenerator<LiveMessage> {
  const waiting = new Set<string | null>();
  let wake: (() => void) | null = null;
  const rouse = () => {
    wake?.();
    wake = null;
  };
  const stop = live.subscribe((event: LiveEvent) => {
    waiting.add(event.sessionId);
    rouse();
  });
  signal.addEventListener('abort', rouse, { once: true });
  try {
    yield { kind: 'hello' };
    while (!signal.aborted) {
      if (waiting.size === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      const sessionIds = [...waiting];
      waiting.clear();
      yield { kind: 'changed', sessionIds };
    }
  } finally {
    stop();
    signal.removeEventListener('abort', rouse);
  }
}

/** The line over which the console learns of news. */
export const liveRouter = router({
  events: reading.subscription(({ ctx, signal }) =>
    liveMessages(ctx.services.live, signal ?? new AbortController().signal),
  ),
});
