import { z } from 'zod';
import { nanoDollars } from '../../kernel/money.ts';
import type { Factor, PriceRow } from './types.ts';

/** Dollars per million tokens with at most three places: whole nano-dollars per token. */
const dollarsPerMillion = z
  .number()
  .min(0)
  .max(1_000_000)
  .refine((dollars) => Math.abs(dollars * 1000 - Math.round(dollars * 1000)) < 1e-6, {
    error: 'has more than three places',
  })
  .transform((dollars) => nanoDollars(Math.round(dollars * 1000)));

const factor = z
  .number()
  .positive()
  .max(1000)
  .transform((times): Factor => [BigInt(Math.round(times * 1000)), 1000n]);

const override = z.strictObject({
  model: z.string().min(1),
  vendor: z.enum(['anthropic', 'openai']).optional(),
  from: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day such as 2026-11-30')
    .default('2025-01-01'),
  aboveTokens: z.number().int().min(0).default(0),
  input: dollarsPerMillion,
  output: dollarsPerMillion,
  read: dollarsPerMillion.optional(),
  write: dollarsPerMillion.optional(),
  writeLong: dollarsPerMillion.optional(),
  speeds: z.record(z.string(), factor).default({}),
});

const config = z.object({ prices: z.array(override).default([]) });

/** Prices that a person set, or what is wrong with them. */
export type Overrides =
  | { readonly rows: readonly PriceRow[] }
  | { readonly problems: readonly string[]; readonly rows: readonly PriceRow[] };

/**
 * Reads the `prices` of `config.jsonc`: rows of `model`, `input` and `output` in dollars per million tokens, and what else
 * differs (`read`, `write`, `writeLong`, `from`, `aboveTokens`, `speeds`). What is left out of a row costs what input costs.
 * @param value the file's content, parsed; null: there is none
 */
export function overridesIn(value: unknown): Overrides {
  const read = config.safeParse(value ?? {});
  if (!read.success) {
    const problems = read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    return { problems, rows: [] };
  }
  const rows = read.data.prices.map((one): PriceRow => {
    const { model, from, aboveTokens, input, output, speeds } = one;
    const vendor = one.vendor ?? (model.startsWith('claude') ? 'anthropic' : 'openai');
    return {
      vendor,
      model,
      from,
      aboveTokens,
      rates: {
        input,
        output,
        read: one.read ?? input,
        write: one.write ?? input,
        writeLong: one.writeLong ?? one.write ?? input,
      },
      speeds,
      source: 'config.jsonc',
      checked: from,
    };
  });
  return { rows };
}

/** The price file with a person's rows: these stand for all of ours for their models. */
export function withOverrides(rows: readonly PriceRow[], own: readonly PriceRow[]): readonly PriceRow[] {
  const models = new Set(own.map((row) => row.model));
  return [...rows.filter((row) => !models.has(row.model)), ...own];
}
