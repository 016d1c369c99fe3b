import { readFile, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { EXIT } from '../failure.ts';
import { runCommand, scratchFolder, writeFiles } from '../testing.ts';

const ID = '01a229f1-2be8-754e-9327-4168d49aa17a';
const OTHER = '01a229f1-2be8-754e-9327-4168d49aa17b';

let home: string;

beforeEach(async () => {
  home = await scratchFolder();
});

type Answer = (request: IncomingMessage, body: Buffer, response: ServerResponse) => unknown;

/** A gateway that answers each `METHOD path` as given; what it is sent comes whole. */
async function gateway(answers: Readonly<Record<string, Answer>>): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const path = (request.url ?? '').split('?')[0];
    response.setHeader('x-context-mode-request-id', 'r');
    if (path === '/healthz') return response.end('{}');
    if (path === '/api/v1/status') return response.end('{"mode":"local"}');
    const answer = answers[`${request.method} ${request.url}`] ?? answers[`${request.method} ${path}`];
    if (answer === undefined) return response.writeHead(404).end('{"error":{"message":"none","hint":"h"}}');
    const value = answer(request, Buffer.concat(chunks), response);
    return value === undefined
      ? undefined
      : response.end(typeof value === 'string' ? value : JSON.stringify(value));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const run = (url: string, ...args: string[]) =>
  runCommand(args, { home, variables: { PATH: '', CONTEXT_MODE_URL: url } });
const textOf = (name: string) => readFile(join(home, name), 'utf8');

describe('export', () => {
  test('writes a session as it comes, for its owner alone, and the key beside it', async () => {
    const long = `{"header":"${'ü'.repeat(200_000)}"}\n{"end":{}}\n`;
    const url = await gateway({
      [`GET /api/v1/export/session?id=${ID}`]: () => long,
      'POST /api/v1/keys/export': () => ({ format: 'context-mode-key', key: 'k' }),
    });
    const ran = await run(url, 'export', ID, '--keys', 'keys.json');
    expect([ran.code, ran.error]).toEqual([0, '']);
    expect(ran.out).toContain('secret');
    expect(await textOf(`session-${ID}.jsonl`)).toBe(long);
    expect(JSON.parse(await textOf('keys.json'))).toEqual({ format: 'context-mode-key', key: 'k' });
    for (const name of [`session-${ID}.jsonl`, 'keys.json'])
      expect((await stat(join(home, name))).mode & 0o777).toBe(0o600);
  });

  test('writes all sessions one behind the other, page by page', async () => {
    const url = await gateway({
      'GET /api/v1/sessions?limit=500': () => ({ items: [{ id: ID }], next: 'c' }),
      'GET /api/v1/sessions?limit=500&cursor=c': () => ({ items: [{ id: OTHER }], next: null }),
      [`GET /api/v1/export/session?id=${ID}`]: () => 'one\n',
      [`GET /api/v1/export/session?id=${OTHER}`]: () => 'two\n',
    });
    const ran = await run(url, 'export', '--all', 'all.jsonl', '--json');
    expect(ran.json()).toMatchObject({ ok: true, sessions: [ID, OTHER], keys: null });
    expect(await textOf('all.jsonl')).toBe('one\ntwo\n');
  });

  test('overwrites nothing', async () => {
    await writeFiles(home, { 'a.jsonl': 'mine', 'keys.json': 'mine' });
    const url = await gateway({ [`GET /api/v1/export/session?id=${ID}`]: () => 'x\n' });
    expect((await run(url, 'export', ID, 'a.jsonl')).code).toBe(EXIT.file);
    expect((await run(url, 'export', ID, 'b.jsonl', '--keys', 'keys.json')).code).toBe(EXIT.file);
    expect([await textOf('a.jsonl'), await textOf('keys.json')]).toEqual(['mine', 'mine']);
    await expect(textOf('b.jsonl')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test.each([
    ['of a session that is not there tells what the gateway says', {}, EXIT.refused],
    [
      'that breaks off',
      {
        [`GET /api/v1/export/session?id=${ID}`]: (_: unknown, __: unknown, response: ServerResponse) => {
          response.writeHead(200, { 'content-length': '100' });
          response.write('half', () => response.destroy());
        },
      },
      EXIT.noGateway,
    ],
  ])('%s, and leaves no file', async (_what, answers, code) => {
    const url = await gateway(answers);
    const ran = await run(url, 'export', ID, 'a.jsonl', '--json');
    expect(ran.code).toBe(code);
    await expect(textOf('a.jsonl')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('asks which session', async () => {
    const url = await gateway({});
    expect((await run(url, 'export')).code).toBe(EXIT.usage);
    expect((await run(url, 'export', '--all', 'a', 'b')).code).toBe(EXIT.usage);
  });
});

describe('import', () => {
  test('gives key, then sessions, and tells what became of each', async () => {
    const got: [string, string][] = [];
    const url = await gateway({
      'POST /api/v1/keys/import': (request, body) => {
        got.push([request.headers['content-type'] ?? '', body.toString()]);
        return { state: 'taken' };
      },
      'POST /api/v1/import': (request, body) => {
        got.push([request.headers['content-type'] ?? '', body.toString()]);
        return {
          sessions: [
            { id: ID, title: 'A title', state: 'imported', events: 7 },
            { id: OTHER, title: '', state: 'present', events: 0 },
          ],
        };
      },
    });
    await writeFiles(home, { 'a.jsonl': 'line\n', 'keys.json': '{"key":1}' });
    const ran = await run(url, 'import', 'a.jsonl', '--keys', 'keys.json');
    expect(ran.code).toBe(0);
    expect(ran.out).toMatch(/imported +A title \(7 events\)\nthere already +01a229f1/);
    expect(got).toEqual([
      ['application/json', '{"key":1}'],
      ['application/x-ndjson', 'line\n'],
    ]);
  });

  test('tells what the gateway refuses, and asks for foreign sessions as such', async () => {
    const url = await gateway({
      'POST /api/v1/import?foreign=true': () => ({ sessions: [] }),
      'POST /api/v1/import': (_request, _body, response) => {
        response.writeHead(409);
        return { error: { message: 'Line 3: another key.', hint: 'import --foreign' } };
      },
    });
    await writeFiles(home, { 'a.jsonl': 'line\n' });
    const ran = await run(url, 'import', 'a.jsonl');
    expect([ran.code, ran.error]).toEqual([EXIT.refused, 'Line 3: another key.\nimport --foreign\n']);
    expect((await run(url, 'import', 'a.jsonl', '--foreign')).code).toBe(0);
  });

  test('of a file that is not there is told as that', async () => {
    const url = await gateway({});
    const ran = await run(url, 'import', 'none.jsonl');
    expect(ran.code).toBe(EXIT.file);
    expect(ran.error).toContain('none.jsonl cannot be read');
  });
});
