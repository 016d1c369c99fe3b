import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { EXIT } from '../failure.ts';
import { runCommand, scratchFolder, writeFiles } from '../testing.ts';

let home: string;

beforeEach(async () => {
  home = await scratchFolder();
});

const claude = (session: string, words: string, more = {}) =>
  `${JSON.stringify({ message: { role: 'user', content: words }, type: 'user', uuid: 'u', sessionId: session, cwd: '/p', ...more })}\n`;
const codex = (id: string, more = {}) =>
  `${JSON.stringify({ type: 'session_meta', payload: { id, session_id: 's3', cwd: '/q', ...more } })}\n${JSON.stringify({ type: 'response_item', payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Codex words' }] } })}\n`;

const FILES = {
  '.claude/projects/p/s1.jsonl': claude('s1', 'First words'),
  '.claude/projects/p/s1/subagents/agent-a.jsonl': claude('s1', 'task', { isSidechain: true, agentId: 'a' }),
  '.claude/projects/p/s2.jsonl': `${claude('s2', 'x'.repeat(600_000))}{"torn`,
  '.codex/sessions/2026/rollout-1.jsonl': codex('s3'),
  '.codex/sessions/2026/rollout-2.jsonl': codex('t3', { parent_thread_id: 's3' }),
  '.codex/sessions/other.jsonl': '{"a":1}\n',
};

/** A gateway that takes transcripts, and what it was sent by agent; `refuse` is answered with an error. */
async function gateway(refuse = '') {
  const taken: { readonly agent: string | null; readonly body: string }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const url = new URL(request.url ?? '', 'http://localhost');
    response.setHeader('x-context-mode-request-id', 'r');
    if (url.pathname === '/healthz') return response.end('{}');
    if (url.pathname === '/api/v1/status') return response.end('{"mode":"local"}');
    const body = Buffer.concat(chunks).toString();
    taken.push({ agent: url.searchParams.get('agent'), body });
    if (refuse !== '' && body.includes(refuse)) {
      response.writeHead(413);
      return response.end('{"error":{"message":"Too large.","hint":"h"}}');
    }
    const session = {
      state: 'imported',
      messages: 1,
      added: 1,
      leftOut: [{ what: 'books', count: 2 }],
      faults: [{ file: 'f', line: 3, reason: 'torn' }],
    };
    return response.end(JSON.stringify({ session }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { taken, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const run = (url: string, args: readonly string[], world = {}) =>
  runCommand(['import', ...args], { home, variables: { PATH: '', CONTEXT_MODE_URL: url }, ...world });

test('what the agents keep is listed, and sent when that was agreed to: each session with all its files', async () => {
  await writeFiles(home, FILES);
  const { taken, url } = await gateway();
  const refused = await run(url, []);
  expect(refused.code).toBe(EXIT.notAgreed);
  expect(refused.out).toMatch(/claude-code +\/p +First words +\(2 messages, 1 kB\)/);
  expect(refused.out).toMatch(/codex +\/q +Codex words/);
  expect(refused.out).toContain('3 sessions, 5 messages');
  expect(refused.out).toContain('1 file of another kind, left alone.');
  expect((await run(url, [], { terminal: true, ask: async () => false })).code).toBe(EXIT.notAgreed);
  expect(taken).toEqual([]);

  const ran = await run(url, [], { terminal: true, ask: async () => true });
  expect([ran.code, ran.error]).toEqual([0, '']);
  expect(taken.map((one) => one.agent)).toEqual(['claude-code', 'claude-code', 'codex']);
  const main = FILES['.claude/projects/p/s1.jsonl'];
  const part = FILES['.claude/projects/p/s1/subagents/agent-a.jsonl'];
  const header = (name: string, bytes: number) => JSON.stringify({ file: join('~', name), bytes });
  expect(taken[0]?.body).toBe(
    `${header('.claude/projects/p/s1.jsonl', main.length)}\n${main}\n` +
      `${header('.claude/projects/p/s1/subagents/agent-a.jsonl', part.length)}\n${part}\n`,
  );
  expect(taken[1]?.body).toContain('{"torn\n');
  expect(ran.out).toMatch(/imported +First words \(1 message\)/);
  expect(ran.out).toContain('3 messages of 3 sessions written.');
  expect(ran.out).toContain('6 books');
  expect(ran.out).toContain('f:3  torn');
});

test('a session that is refused stops none of the others, and is told', async () => {
  await writeFiles(home, FILES);
  const { taken, url } = await gateway('First words');
  const ran = await run(url, ['--yes', '--json']);
  expect(ran.code).toBe(EXIT.refused);
  expect(taken).toHaveLength(3);
  const { sessions } = ran.json() as { sessions: { state: string; error: string | null }[] };
  expect(sessions.map((one) => one.state)).toEqual(['failed', 'imported', 'imported']);
  expect(sessions[0]?.error).toBe('Too large.');
});

test('a path names one file or a folder, and nothing is asked', async () => {
  await writeFiles(home, FILES);
  const { taken, url } = await gateway();
  expect((await run(url, ['.codex/sessions/2026/rollout-2.jsonl'])).code).toBe(0);
  expect((await run(url, ['.claude'])).code).toBe(0);
  expect(taken.map((one) => one.agent)).toEqual(['codex', 'claude-code', 'claude-code']);
});

test('an export goes where exports go, also from a folder', async () => {
  const header = '{"header":{"format":"context-mode-session","version":1,"session":{}}}\n';
  await writeFiles(home, { 'mine/a.jsonl': header, 'mine/s1.jsonl': claude('s1', 'words') });
  const { taken, url } = await gateway();
  expect((await run(url, ['mine'])).code).toBe(0);
  expect(taken.map((one) => [one.agent, one.body.startsWith('{"header"')])).toEqual([
    ['claude-code', false],
    [null, true],
  ]);
});

test('without transcripts it says where it looked', async () => {
  const { url } = await gateway();
  const ran = await run(url, []);
  expect([ran.code, ran.out]).toEqual([
    0,
    `There are no transcripts in ${join('~', '.claude', 'projects')} and ${join('~', '.codex', 'sessions')}.\n`,
  ]);
});
