import { mkdir, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { exchange } from '../faults/exchange.ts';
import { removeHome, scratchHome, startProduct } from '../faults/product.ts';
import { startProvider } from '../faults/provider.ts';
import { percentile } from './measure.ts';
import { backslashes, claudeTranscript, codexTranscript, type Transcript } from './transcript.ts';

// `npm run bench:large`: sessions of 10,000 messages and 30 MB through the door. What is looked at is whether anything
// else has to wait meanwhile: the gateway's event loop, `/healthz`, and the archiving of a small session.
const { values } = parseArgs({
  options: { bytes: { type: 'string', default: '30000000' }, messages: { type: 'string', default: '10000' } },
});
const SIZE = { bytes: Number(values.bytes), messages: Number(values.messages) };
/** Turns by which each session grows after its first request. */
const TURNS = 5;
/** Pause between two probes of `/healthz`, in milliseconds. */
const PROBE_MS = 5;
/** Pause between two looks at whether all is archived, and the time after which every delay has been told. */
const POLL_MS = 50;
const TOLD_MS = 1_500;
/** Longest that a body may take to be archived, in milliseconds. */
const ARCHIVED_MS = 120_000;

interface Row {
  readonly what: string;
  readonly megabytes: number;
  /** Milliseconds from the first byte out to the last byte in. */
  readonly answered: number;
  /** Until nothing waited to be archived any more. */
  readonly archived: number;
  /** Longest wait for the gateway's event loop. */
  readonly loopMax: number;
  /** A bound of the longest wait for the recorder's. */
  readonly recorderMax: number;
  readonly healthP99: number;
  readonly healthMax: number;
  /** Until a small request that came right behind the large one was archived. */
  readonly smallArchived: number;
}

const provider = await startProvider();
const home = await scratchHome();
const product = await startProduct({ home, provider: provider.url });
const rows: Row[] = [];
let small = 0;
/** Longest delay of the gateway's loop since it was set to 0; what the product says of it begins anew with each look. */
let loopMax = 0;
try {
  await settled();
  rows.push(await measured('one text of backslashes, first request', backslashes(SIZE.bytes, 1)));
  for (const [name, make] of [
    ['Claude Code', claudeTranscript],
    ['Codex', codexTranscript],
  ] as const) {
    const transcript = make({ ...SIZE, seed: rows.length + 2 });
    rows.push(await measured(`${name}, never seen`, transcript));
    for (let turn = 1; turn <= TURNS; turn += 1) {
      transcript.grow();
      rows.push(await measured(`${name}, grown by turn ${turn}`, transcript));
    }
  }
  await report();
} finally {
  await product.end('SIGTERM');
  await provider.stop();
  await removeHome(home);
}

async function measured(
  what: string,
  { path, headers, body }: Pick<Transcript, 'path' | 'headers' | 'body'>,
): Promise<Row> {
  const bytes = body();
  const base = path.includes('responses') ? product.openai : product.anthropic;
  const before = await readMetrics();
  loopMax = 0;
  const probe = probeHealth(product.url);
  const began = performance.now();
  const { ms } = await exchange({ base, path, headers, body: bytes });
  const smallArchived = await smallTurn();
  await settled();
  const archived = performance.now() - began;
  const health = await probe.stop();
  await new Promise((resolve) => setTimeout(resolve, TOLD_MS));
  const after = await readMetrics();
  const row = {
    what,
    megabytes: bytes.byteLength / 1e6,
    answered: ms,
    archived,
    loopMax,
    recorderMax: longest(before.recorder, after.recorder),
    healthP99: percentile(health, 0.99),
    healthMax: Math.max(...health),
    smallArchived,
  };
  process.stdout.write(`${lineOf(row)}\n`);
  return row;
}

/** A request of another session right behind the large one; milliseconds until the archive holds it. */
async function smallTurn(): Promise<number> {
  small += 1;
  const transcript = claudeTranscript({ messages: 3, bytes: 3_000, seed: 1_000_000 + small });
  const id = transcript.headers['x-claude-code-session-id'];
  const began = performance.now();
  await exchange({
    base: product.anthropic,
    path: transcript.path,
    headers: transcript.headers,
    body: transcript.body(),
  });
  while (performance.now() - began < ARCHIVED_MS) {
    const answer = await fetch(`${product.url}/api/v1/sessions?limit=5`);
    const { items } = (await answer.json()) as { items: { clientSessionId: string }[] };
    if (items.some((item) => item.clientSessionId === id)) return performance.now() - began;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('a small request was not archived in time');
}

async function settled(): Promise<void> {
  const deadline = performance.now() + ARCHIVED_MS;
  while ((await readMetrics()).waiting > 0) {
    if (performance.now() > deadline) throw new Error('a request was not archived in time');
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

interface Counters {
  readonly waiting: number;
  /** How many seconds had a longest delay of the recorder's loop up to each bound, in milliseconds. */
  readonly recorder: ReadonlyMap<number, number>;
}

async function readMetrics(): Promise<Counters> {
  const lines = (await (await fetch(`${product.url}/metrics`)).text()).split('\n');
  const of = (name: string) =>
    Number(lines.find((line) => line.startsWith(`${name} `))?.split(' ')[1] ?? Number.NaN);
  const resolution = 0.01;
  loopMax = Math.max(loopMax, (of('nodejs_eventloop_lag_max_seconds') - resolution) * 1_000);
  const recorder = new Map<number, number>();
  for (const line of lines) {
    const found = /^context_mode_loop_delay_seconds_bucket\{le="([^"]+)",thread="recorder"\} (\d+)/.exec(
      line,
    );
    if (found?.[1] !== undefined)
      recorder.set(found[1] === '+Inf' ? Infinity : Number(found[1]) * 1_000, Number(found[2]));
  }
  return { waiting: of('context_mode_record_queue_bytes'), recorder };
}

/** The lowest bound under which every delay between two looks lies. */
function longest(before: Counters['recorder'], after: Counters['recorder']): number {
  const all = (after.get(Infinity) ?? 0) - (before.get(Infinity) ?? 0);
  for (const [bound, count] of [...after].sort(([a], [b]) => a - b))
    if (count - (before.get(bound) ?? 0) === all) return bound;
  return Infinity;
}

/** Asks `/healthz` again and again; gives how long each answer took, in milliseconds. */
function probeHealth(url: string): { stop(): Promise<readonly number[]> } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  let running = true;
  const loop = (async () => {
    while (running) {
      const began = performance.now();
      await new Promise<void>((resolve, reject) => {
        get(`${url}/healthz`, { agent }, (answer) => answer.resume().on('end', resolve)).on('error', reject);
      });
      times.push(performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, PROBE_MS));
    }
  })();
  return {
    async stop() {
      running = false;
      await loop;
      agent.destroy();
      return times;
    },
  };
}

function lineOf(row: Row): string {
  const { what, megabytes, ...times } = row;
  return `| ${[what, megabytes.toFixed(1), ...Object.values(times).map((ms) => ms.toFixed(0))].join(' | ')} |`;
}

async function report(): Promise<void> {
  const at = new Date().toISOString();
  const text = [
    `# Large sessions, ${at}`,
    '',
    `${SIZE.messages} messages, ${SIZE.bytes / 1e6} MB, Node ${process.version}. Provider, client and product share the cores; the client writes and the provider hashes each body, so that probes of \`/healthz\` also wait for the client's own process.`,
    '',
    '| request | MB | answered ms | archived ms | event loop max ms | recorder max ms | healthz p99 ms | healthz max ms | small request archived ms |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...rows.map(lineOf),
    '',
  ].join('\n');
  const folder = join(import.meta.dirname, 'reports');
  await mkdir(folder, { recursive: true });
  const name = `large-${at.replace(/[:.]/g, '-')}`;
  await writeFile(
    join(folder, `${name}.json`),
    `${JSON.stringify({ at, node: process.version, rows }, null, 2)}\n`,
  );
  await writeFile(join(folder, `${name}.md`), text);
  process.stdout.write(`\n${text}`);
}
