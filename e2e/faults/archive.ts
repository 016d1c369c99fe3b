import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { eventually } from '../product/eventually.ts';
import type { Talk } from './talk.ts';

/** A row of a session's log, of what the tests look at. */
export interface Row {
  readonly seq: number;
  readonly at: string;
  readonly kind: string;
  readonly docid: string | null;
  readonly body: string;
}

interface Session {
  readonly id: string;
  readonly clientSessionId: string | null;
}

/** How long a call of the REST interface may take, in milliseconds. */
const CALL_MS = 20_000;

/**
 * Reads from the product's REST interface.
 * @throws where it answers with a fault or not in time
 */
export async function read<Value>(url: string, path: string): Promise<Value> {
  const answer = await fetch(`${url}/api/v1${path}`, { signal: AbortSignal.timeout(CALL_MS) });
  if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Value;
}

/** The id of the one session of a talk; null: there is none yet. */
export async function sessionOf(url: string, talk: Pick<Talk, 'id' | 'name'>): Promise<string | null> {
  const { items } = await read<{ items: readonly Session[] }>(url, '/sessions?limit=500');
  const own = items.filter((session) => session.clientSessionId === talk.id);
  expect(own.length, `sessions of ${talk.name}`).toBeLessThan(2);
  return own[0]?.id ?? null;
}

/** The whole log of a session, oldest row first. */
export async function logOf(url: string, session: string): Promise<readonly Row[]> {
  const { rows } = await read<{ rows: readonly Row[] }>(
    url,
    `/sessions/${session}/log?limit=5000&clip=1000000`,
  );
  return rows;
}

/** Waits until the log of a talk holds each of its lines once, in order, and positions without a gap; gives it. */
export function expectWhole(url: string, talk: Talk, limitMs = 30_000): Promise<readonly Row[]> {
  return eventually(async () => {
    const session = await sessionOf(url, talk);
    if (session === null) throw new Error(`no session of ${talk.name}`);
    const rows = await logOf(url, session);
    expect(rows.map((row) => row.seq)).toEqual(rows.map((_, index) => index + 1));
    const lines = rows.filter((row) => row.docid !== null).map(({ kind, body }) => `${kind} ${shown(body)}`);
    expect(lines, talk.name).toEqual(talk.lines.map(({ kind, text }) => `${kind} ${shown(text)}`));
    return rows;
  }, limitMs);
}

/** A text as it is compared: as it stands, a long one by its start, its length and its hash. */
function shown(text: string): string {
  if (text.length < 200) return text;
  return `${text.slice(0, 60)}… ${text.length} ${createHash('sha256').update(text).digest('hex')}`;
}

/** The value of a counter or gauge at `/metrics`, by its name with labels; 0 where it was never touched. */
export async function metric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(CALL_MS) })).text();
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? 0 : Number(line.slice(name.length + 1));
}
