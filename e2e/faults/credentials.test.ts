import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../product/eventually.ts';
import { logOf, metric, read } from './archive.ts';
import { exchange } from './exchange.ts';
import {
  databaseFolder,
  openDatabase,
  type Product,
  removeHome,
  scratchHome,
  startProduct,
} from './product.ts';
import { type Provider, startProvider } from './provider.ts';

/** Made-up secrets in the shapes of real ones; none is written out in this file. */
function made(name: string, length: number): string {
  const digits = createHash('sha512').update(`faults ${name}`).digest('hex').repeat(2);
  return [...digits.slice(0, length)]
    .map((digit, at) => (at % 3 === 1 ? digit.toUpperCase() : digit))
    .join('');
}

const IN_HEADERS = {
  apiKey: `sk-ant-api03-${made('api key', 93)}AA`,
  bearer: `sk-proj-${made('bearer', 60)}`,
  query: made('query', 40),
};
const IN_WORDS = {
  github: `ghp_${made('github', 36)}`,
  anthropic: `sk-ant-api03-${made('in a result', 93)}AA`,
  password: made('password', 24),
  privateKey: made('private key', 128),
  bearer: made('bearer in a command', 48),
};
/** What is looked for: the middle of each secret, which no mask may leave. */
const NEEDLES = [...Object.values(IN_HEADERS), ...Object.values(IN_WORDS)].map((secret) =>
  secret.slice(Math.floor(secret.length / 2) - 8, Math.floor(secret.length / 2) + 8),
);

const RESULT = [
  `GITHUB_TOKEN=${IN_WORDS.github}`,
  `export ANTHROPIC_API_KEY="${IN_WORDS.anthropic}"`,
  `DATABASE_URL=postgres://admin:${IN_WORDS.password}@db.example.com:5432/main`,
  '-----BEGIN RSA PRIVATE KEY-----',
  ...(IN_WORDS.privateKey.match(/.{1,64}/g) ?? []),
  '-----END RSA PRIVATE KEY-----',
  `curl -H "Authorization: Bearer ${IN_WORDS.bearer}" https://example.com`,
].join('\n');

let provider: Provider;
let product: Product;
let home: string;

beforeAll(async () => {
  provider = await startProvider();
  home = await scratchHome();
  product = await startProduct({ home, provider: provider.url });
});
afterAll(async () => {
  await product?.end('SIGTERM');
  await provider?.stop();
  await removeHome(home);
});

const call = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: `echo ${RESULT}` } };
const messages = [
  { role: 'user', content: `My notes:\n${RESULT}` },
  { role: 'assistant', content: [{ type: 'text', text: `You have ${RESULT}` }, call] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: RESULT }] },
];
const claude = {
  'content-type': 'application/json',
  'user-agent': 'claude-cli/2.1.197 (external, cli)',
  'x-claude-code-session-id': 'credentials',
  'x-api-key': IN_HEADERS.apiKey,
};
const codex = {
  'content-type': 'application/json',
  authorization: `Bearer ${IN_HEADERS.bearer}`,
  originator: 'codex-tui',
  'session-id': 'credentials-codex',
  'thread-id': 'credentials-codex',
  'x-codex-turn-metadata': JSON.stringify({
    session_id: 'credentials-codex',
    request_kind: 'turn',
    workspaces: {
      '/nowhere/credentials': {
        associated_remote_urls: { origin: `https://dev:${IN_WORDS.github}@github.com/dev/project.git` },
      },
    },
  }),
};

/** Sends requests that carry the secrets everywhere; gives how many. */
async function sendAll(): Promise<number> {
  const system = `Primary working directory: /nowhere/credentials\n${RESULT}`;
  const body = JSON.stringify({ model: 'claude-opus-4-8', messages, system, max_tokens: 10, stream: true });
  const input = [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: RESULT }] },
    {
      type: 'function_call',
      call_id: 'call_1',
      name: 'exec_command',
      arguments: JSON.stringify({ cmd: RESULT }),
    },
    { type: 'function_call_output', call_id: 'call_1', output: RESULT },
  ];
  const responses = JSON.stringify({
    model: 'gpt-5.4',
    input,
    instructions: RESULT,
    stream: true,
    store: false,
  });
  const path = `/v1/messages?beta=true&api_key=${IN_HEADERS.query}`;
  const at = { base: product.anthropic, path, headers: claude, body: Buffer.from(body) };
  await exchange(at);
  await exchange({ ...at, headers: { ...claude, 'x-fault': 'refuse' } });
  // Broken in the middle of a secret, and with one as the first thing that is wrong.
  await exchange({ ...at, body: Buffer.from(body.slice(0, body.indexOf(IN_WORDS.github) + 30)) });
  await exchange({ ...at, body: Buffer.from(`{"messages":[${IN_WORDS.github}]}`) });
  await exchange({ ...at, path: `/v1/files/x?key=${IN_HEADERS.query}`, method: 'PUT' });
  await exchange({
    base: product.openai,
    path: '/v1/responses',
    headers: codex,
    body: Buffer.from(responses),
  });
  await exchange({
    base: product.openai,
    path: '/v1/responses',
    headers: codex,
    body: Buffer.from(`{"input": ${IN_HEADERS.bearer}}`),
  });
  return 7;
}

/** All that the REST interface, the health checks and the counters say. */
async function answers(): Promise<string> {
  const texts: string[] = [];
  const { items } = await read<{ items: readonly { readonly id: string }[] }>(
    product.url,
    '/sessions?limit=500',
  );
  expect(items.length).toBeGreaterThan(1);
  const paths = ['/sessions?limit=500', '/requests?limit=500', '/connections', '/status'];
  for (const { id } of items) {
    paths.push(`/sessions/${id}`, `/sessions/${id}/log?limit=5000&clip=1000000`, `/export/session?id=${id}`);
    for (const { docid } of await logOf(product.url, id)) {
      if (docid !== null) paths.push(`/documents/${docid}?length=1000000`, `/documents/${docid}/raw`);
    }
  }
  for (const path of paths) {
    const answer = await fetch(`${product.url}/api/v1${path}`);
    expect(answer.status, path).toBe(200);
    texts.push(await answer.text());
  }
  for (const path of ['/metrics', '/readyz']) texts.push(await (await fetch(product.url + path)).text());
  return texts.join('\n');
}

/** Every row of every table, as text: what the files hold compressed is looked at here. */
async function rows(): Promise<string> {
  const client = await openDatabase(home);
  const texts: string[] = [];
  const tables = await client.query<{ name: string }>(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  for (const { name } of tables.rows) {
    const { rows: found } = await client.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
    texts.push(...found.map(({ row }) => row));
  }
  await client.end();
  return texts.join('\n');
}

async function files(): Promise<Buffer> {
  const found: Buffer[] = [];
  for (const folder of new Set([home, await databaseFolder(home)])) {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) found.push(await readFile(join(entry.parentPath, entry.name)));
    }
  }
  return Buffer.concat(found);
}

/** The secrets of which something stands in `where`, in the forms that bytes are written in. */
function foundIn(where: Buffer): readonly string[] {
  return NEEDLES.filter((needle) => {
    const bytes = Buffer.from(needle);
    const forms = [bytes, Buffer.from(needle, 'utf16le'), Buffer.from(bytes.toString('hex'))];
    return forms.some((form) => where.includes(form));
  });
}

test('no credential and no secret is in the data folder, the database, the logs or an answer of the interface', async () => {
  const sent = await sendAll();
  await eventually(async () => {
    const { items } = await read<{ items: readonly { readonly ending: string | null }[] }>(
      product.url,
      '/requests?limit=500',
    );
    expect(items).toHaveLength(sent);
    expect(items.every((item) => item.ending !== null)).toBe(true);
    expect(await metric(product.url, 'context_mode_record_queue_bytes')).toBe(0);
  });
  const said = await answers();
  expect(said).toContain('[masked:');
  expect(foundIn(Buffer.from(said)), 'answers').toEqual([]);
  const stored = await rows();
  expect(stored).toContain('[masked:');
  expect(foundIn(Buffer.from(stored)), 'rows').toEqual([]);
  expect(await product.end('SIGTERM')).toBe(0);
  expect(foundIn(await files()), 'files').toEqual([]);
  expect(product.output()).toContain('Console');
  expect(foundIn(Buffer.from(product.output())), 'output').toEqual([]);
});
