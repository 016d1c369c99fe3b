import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createArchiveWriter, ensureAccount } from '../../archive/index.ts';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import { Canaries, everyValue } from '../../db/testing-traces.ts';
import { manualClock } from '../../kernel/clock.ts';
import { newId, type Uuid } from '../../kernel/ids.ts';
import type { InstallationKey } from '../../kernel/installation-key.ts';
import { systemRandom } from '../../kernel/random.ts';
import { createPipeline } from './pipeline.ts';
import type { RecordedAnswer } from './protocol.ts';
import { claudeRequest, codexRequest } from './testing-leaks.ts';

const installationKey = new Uint8Array(32).fill(3) as InstallationKey;
const clock = manualClock(Date.UTC(2026, 10, 30, 9));
let database: Database;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  await database.stop();
});

/** Secrets, each made at run time and used once. */
function secrets(): Canaries {
  return new Canaries(() => {
    const random = randomBytes(60)
      .toString('base64')
      .replace(/[^A-Za-z0-9]/g, '')
      .slice(0, 34);
    return `ghp_${random.padEnd(34, 'a')}q7`;
  });
}

interface Talk {
  readonly door: 'anthropic' | 'openai';
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: unknown;
  readonly status?: number;
  readonly contentType?: string;
  readonly answer: string;
  readonly ending?: RecordedAnswer['ending'];
}

async function play(accountId: Uuid, talk: Talk): Promise<void> {
  const pipeline = createPipeline(createArchiveWriter(database.pool, { clock, installationKey }));
  const id = newId(clock);
  const body = Buffer.from(typeof talk.body === 'string' ? talk.body : JSON.stringify(talk.body));
  await pipeline.request({
    id,
    accountId,
    door: talk.door,
    method: 'POST',
    target: talk.target,
    headers: talk.headers,
    body,
    receivedAt: clock.now(),
  });
  await pipeline.answer({
    id,
    accountId,
    door: talk.door,
    status: talk.status ?? 200,
    headers: [],
    contentType: talk.contentType ?? 'application/json',
    contentEncoding: '',
    providerRequestId: null,
    ending: talk.ending ?? 'complete',
    responseBytes: talk.answer.length,
    headMs: 1,
    firstByteMs: 2,
    totalMs: 3,
    ownMs: 1,
    endedAt: clock.now(),
    body: Buffer.from(talk.answer),
  });
}

const escaped = (text: string) =>
  [...text].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
const sse = (events: readonly object[]) =>
  events.map((event) => `event: x\ndata: ${JSON.stringify(event)}\n\n`).join('');
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('a secret', () => {
  it('is nowhere in the database, whatever field of a request or an answer to Claude Code holds it', async () => {
    const secret = secrets();
    const accountId = await ensureAccount(database.pool, 'claude', {
      clock,
      random: systemRandom,
      installationKey,
    });
    const headers: [string, string][] = [
      ['user-agent', `claude-cli/${secret.at('agent version')} (x)`],
      ['x-claude-code-session-id', secret.at('session header')],
    ];
    const partial = secret.at('split over deltas');
    const json = secret.at('input split over deltas');
    const start = { type: 'message_start', message: { id: secret.at('message id'), model: 'x', usage: {} } };
    await play(accountId, {
      door: 'anthropic',
      target: `/v1/${secret.at('target')}/messages?beta=true&q=${secret.at('query string')}`,
      headers,
      body: claudeRequest(secret),
      contentType: 'text/event-stream',
      ending: 'client_gone',
      answer: sse([
        start,
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        ...[...partial].map((text) => ({
          type: 'content_block_delta',
          index: 0,
          delta: { type: 'text_delta', text },
        })),
        {
          type: 'content_block_start',
          index: 1,
          content_block: { type: 'tool_use', id: 'toolu_9', name: 'Bash', input: {} },
        },
        ...[...`{"command":"${json}`].map((partial_json) => ({
          type: 'content_block_delta',
          index: 1,
          delta: { type: 'input_json_delta', partial_json },
        })),
        { type: 'message_delta', delta: { stop_reason: secret.at('stop reason') }, usage: {} },
        { type: 'error', error: { type: secret.at('error type'), message: secret.at('error in stream') } },
      ]),
    });
    const input = secret.at('escaped input');
    const typed = secret.at('escaped text');
    await play(accountId, {
      door: 'anthropic',
      target: '/v1/messages',
      headers: [['x-claude-code-agent-id', secret.at('thread')], ...headers],
      body:
        `{"model":"m","messages":[{"role":"user","content":"${escaped(typed)}"},` +
        `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"n","input":{"a":"${escaped(input)}"}}]}]}`,
      status: 400,
      answer: JSON.stringify({
        type: 'error',
        error: { type: 'invalid_request_error', message: `messages.0: ${secret.at('echoed by an error')}` },
      }),
    });
    await play(accountId, {
      door: 'anthropic',
      target: `/v1/files/${secret.at('other target')}`,
      headers,
      body: `{"broken ${secret.at('broken body')}`,
      status: 500,
      contentType: 'text/html',
      answer: `<html>${secret.at('html error')}`,
    });
    expect(secret.foundIn(await everyValue(database.pool))).toEqual([]);
  });

  it('is nowhere in the database, whatever field of a request or an answer to Codex holds it', async () => {
    const secret = secrets();
    const accountId = await ensureAccount(database.pool, 'codex', {
      clock,
      random: systemRandom,
      installationKey,
    });
    const metadata = {
      session_id: secret.at('session'),
      thread_id: secret.at('thread'),
      parent_thread_id: secret.at('parent'),
      workspaces: {
        [`/home/${secret.at('root')}`]: {
          associated_remote_urls: { origin: `https://me:${secret.at('remote password')}@git.example/a.git` },
          latest_git_commit_hash: secret.at('commit'),
        },
      },
    };
    await play(accountId, {
      door: 'openai',
      target: '/v1/responses',
      headers: [
        ['user-agent', 'codex_cli_rs/0.150.0'],
        ['x-codex-turn-metadata', JSON.stringify(metadata)],
        ['x-made-up', secret.at('header value')],
      ],
      body: codexRequest(secret),
      contentType: 'text/event-stream',
      answer: sse([
        { type: 'response.created', response: { id: secret.at('response id') } },
        {
          type: 'response.output_item.done',
          output_index: 0,
          item: {
            type: 'custom_tool_call',
            call_id: secret.at('produced call'),
            name: 'apply_patch',
            input: `*** Begin Patch\n*** Add File: ${secret.at('patched file')}\n+KEY=${secret.at('patch')}`,
          },
        },
        {
          type: 'response.output_item.done',
          output_index: 1,
          item: {
            type: 'message',
            role: 'assistant',
            id: secret.at('item id'),
            content: [{ type: 'output_text', text: `so: ${secret.at('produced text')}`, annotations: [] }],
          },
        },
        {
          type: 'response.failed',
          response: {
            id: 'r',
            status: secret.at('status'),
            error: { code: secret.at('error code'), message: secret.at('error message') },
            incomplete_details: { reason: secret.at('reason') },
          },
        },
      ]),
    });
    expect(secret.foundIn(await everyValue(database.pool))).toEqual([]);
  });

  it('is not left in the line of a call that is cut where the secret stands', async () => {
    const secret = secrets();
    const accountId = await ensureAccount(database.pool, 'cut', {
      clock,
      random: systemRandom,
      installationKey,
    });
    const token = secret.at('cut');
    const command = `${'echo a; '.repeat(60)}curl ${token}`;
    await play(accountId, {
      door: 'anthropic',
      target: '/v1/messages',
      headers: [],
      body: {
        model: 'm',
        messages: [
          { role: 'user', content: 'go' },
          { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'Bash', input: { command } }] },
        ],
      },
      answer: '{}',
    });
    const { rows } = await database.pool.query<{ line: string }>(
      `SELECT main_input AS line FROM item WHERE account_id = $1 AND kind = 'tool_call'`,
      [accountId],
    );
    expect(rows[0]?.line).toMatch(/^echo a; echo/);
    expect(rows[0]?.line).not.toContain(token.slice(0, 12));
  });

  it('is masked in files that are text, and files of other bytes come back as they were', async () => {
    const accountId = await ensureAccount(database.pool, 'files', {
      clock,
      random: systemRandom,
      installationKey,
    });
    const bytes = randomBytes(5_000);
    await play(accountId, {
      door: 'anthropic',
      target: '/v1/messages',
      headers: [],
      body: {
        model: 'm',
        messages: [
          {
            role: 'user',
            content: ['text/plain', 'application/pdf'].map((media_type) => ({
              type: 'document',
              source: {
                type: 'base64',
                media_type,
                data:
                  media_type === 'text/plain' ? base64('mail ana@example.org\r\n') : bytes.toString('base64'),
              },
            })),
          },
        ],
      },
      answer: '{}',
    });
    const { rows } = await database.pool.query<{ mime: string; bytes: Buffer }>(
      'SELECT mime, bytes FROM blob WHERE account_id = $1 ORDER BY mime',
      [accountId],
    );
    expect(rows[0]?.bytes.equals(bytes)).toBe(true);
    expect(rows[1]?.bytes.toString()).toMatch(/^mail \[masked:email:[0-9a-f]{12}\]\r\n$/);
  });
});
