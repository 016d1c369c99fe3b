import { z } from 'zod';

/** Fewest and most days that sessions may be kept. */
const DAYS = { least: 1, most: 36_500 } as const;

/** How long sessions are kept. */
export const retention = z
  .union([z.literal('forever'), z.int().min(DAYS.least).max(DAYS.most)])
  .describe('`forever`, or days since a session was last seen');
