import { z } from 'zod';
import type { Millis } from '../kernel/clock.ts';
import type { Pause } from '../recall/index.ts';
import { changing, reading, router } from './trpc.ts';
import { isoOf } from './wire.ts';

/** The longest pause with an end: a year. */
const MOST_SECONDS = 366 * 86_400;

/** The pause that is on. */
export const pauseState = z
  .object({
    pause: z
      .object({
        since: z.string(),
        until: z.string().nullable().describe('null: until somebody ends it'),
      })
      .nullable()
      .describe('null: there is none. Nothing is recorded in it and nothing new begun; bytes pass'),
  })
  .meta({ id: 'PauseState' });

/** The pause as it leaves. */
export type WirePause = z.infer<typeof pauseState>['pause'];

/** How long a pause is to last. */
export const pauseInput = z.object({
  seconds: z.coerce
    .number()
    .int()
    .min(1)
    .max(MOST_SECONDS)
    .optional()
    .describe('how long; left out: until somebody ends it'),
});

function wirePause(pause: Pause | null): WirePause {
  if (pause === null) return null;
  return { since: isoOf(pause.since), until: pause.until === null ? null : isoOf(pause.until) };
}

/** Times in which nothing is recorded. */
export const pauseRouter = router({
  get: reading.output(pauseState).query(({ ctx }) => ({ pause: wirePause(ctx.services.pausing.now()) })),

  begin: changing
    .input(pauseInput)
    .output(pauseState)
    .mutation(async ({ ctx, input: { seconds } }) => {
      const { pausing, clock } = ctx.services;
      const since = clock.now();
      const until = seconds === undefined ? null : ((since + seconds * 1_000) as Millis);
      await pausing.set({ since, until });
      return { pause: wirePause({ since, until }) };
    }),

  end: changing.output(pauseState).mutation(async ({ ctx }) => {
    await ctx.services.pausing.set(null);
    return { pause: null };
  }),
});
