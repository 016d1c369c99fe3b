import type pg from 'pg';
import type { createArchiveReader } from '../../../server/archive/index.ts';
import type { Uuid } from '../../../server/kernel/ids.ts';
import { percentile } from '../measure.ts';
import { furtherQueries, pieces, queriesOf, type TimedQuery } from './corpus.ts';
import type { Stopwatch, Took } from './running.ts';

const QUERIES = 300;
const FILTERED = 100;
const FURTHER = 40;
const PIECES = 10;
const WARM_UP = 60;
const READS = 500;

/** How long things of one form took. */
export interface Figures {
  readonly form: string;
  readonly times: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly leastMs: number;
  /** The same of the time that the processes ran; null where the system does not tell. */
  readonly ranP50Ms: number | null;
  readonly ranP99Ms: number | null;
}

/** The published set as a whole and by form, what is timed beside it, and reads of documents. */
export interface Measured {
  readonly published: Figures;
  readonly forms: readonly Figures[];
  readonly beside: readonly Figures[];
  readonly reads: Figures;
}

/** What is measured with. */
export interface Measuring {
  readonly pool: pg.Pool;
  readonly accountId: Uuid;
  readonly reader: ReturnType<typeof createArchiveReader>;
  readonly watch: Stopwatch;
}

/** Times searches and reads of an account that {@link fill} filled, one at a time. */
export async function measureSearch({ pool, accountId, reader, watch }: Measuring): Promise<Measured> {
  const search =
    (more = {}) =>
    ({ q }: TimedQuery) =>
      reader.search(accountId, { q, limit: 20, ...more });
  for (const query of queriesOf(1, WARM_UP)) await search()(query);
  const published = await timed(watch, queriesOf(2, QUERIES), search());
  const { rows } = await pool.query<{ docid: string; rare: string | null; session: Uuid }>(
    `SELECT i.docid, substring(i.text FROM 'id=([0-9a-f]{12})') AS rare, e.session_id AS session FROM item i
     JOIN event e ON e.account_id = $1 AND e.message_hash = i.message_hash
     WHERE i.account_id = $1 ORDER BY i.docid LIMIT $2`,
    [accountId, READS],
  );
  const rare = rows.flatMap((row) => row.rare ?? []);
  const further = await timed(watch, furtherQueries(4, FURTHER, rare), search());
  const one = await timed(
    watch,
    queriesOf(5, FILTERED),
    search({ sessionId: rows[0]?.session }),
    'in one session',
  );
  const kind = await timed(
    watch,
    queriesOf(3, FILTERED),
    search({ kinds: ['answer'] }),
    'of one kind of item',
  );
  const scanned = await timed(watch, pieces(6, PIECES), search());
  const read = ({ docid }: { readonly docid: string }) =>
    reader.readDocument(accountId, `context-mode-msg-${docid}`, { length: 30_000 });
  await timed(watch, rows, read, 'first reads');
  const reads = await timed(watch, rows, read, 'reads');
  return {
    published: figuresOf('published set', published),
    forms: byForm(published),
    beside: [...byForm(kind), ...byForm(one), ...byForm(further), ...byForm(scanned)],
    reads: figuresOf('document read', reads),
  };
}

type Timed = Took & { readonly form: string };

async function timed<Thing extends object>(
  watch: Stopwatch,
  things: readonly Thing[],
  work: (thing: Thing) => Promise<unknown>,
  form?: string,
): Promise<readonly Timed[]> {
  const took: Timed[] = [];
  for (const thing of things)
    took.push({ ...(await watch.time(() => work(thing))), form: form ?? formOf(thing) });
  return took;
}

function formOf(thing: object): string {
  return 'form' in thing && typeof thing.form === 'string' ? thing.form : '';
}

function byForm(took: readonly Timed[]): readonly Figures[] {
  const forms = [...new Set(took.map(({ form }) => form))];
  return forms.map((form) =>
    figuresOf(
      form,
      took.filter((one) => one.form === form),
    ),
  );
}

function figuresOf(form: string, took: readonly Timed[]): Figures {
  const waited = took.map(({ waitedMs }) => waitedMs);
  const ran = took.flatMap(({ ranMs }) => ranMs ?? []);
  const of = (share: number) => (ran.length === 0 ? null : percentile(ran, share));
  return {
    form,
    times: took.length,
    p50Ms: percentile(waited, 0.5),
    p99Ms: percentile(waited, 0.99),
    leastMs: Math.min(...waited),
    ranP50Ms: of(0.5),
    ranP99Ms: of(0.99),
  };
}
