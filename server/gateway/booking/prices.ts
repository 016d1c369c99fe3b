import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ParseError, parse } from 'jsonc-parser';
import type { Logger } from '../../kernel/log.ts';
import { overridesIn, PRICE_ROWS, type PriceRow, withOverrides } from '../../ledger/index.ts';

/**
 * The prices in force: ours, and those that a person set in `config.jsonc` of the data folder. A file with a mistake changes
 * nothing, and says so.
 */
export async function readPrices(home: string, log: Pick<Logger, 'warn'>): Promise<readonly PriceRow[]> {
  const text = await readFile(join(home, 'config.jsonc'), 'utf8').catch(() => null);
  if (text === null) return PRICE_ROWS;
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const read =
    errors.length > 0 ? { problems: ['it is no JSON with comments'], rows: [] } : overridesIn(value);
  if ('problems' in read)
    log.warn({ problems: read.problems }, 'the prices in config.jsonc are not taken: they have mistakes');
  return withOverrides(PRICE_ROWS, read.rows);
}
