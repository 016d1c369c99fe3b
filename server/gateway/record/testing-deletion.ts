import {
  type ArchiveHousekeeper,
  type ArchiveKeeper,
  type ArchiveReader,
  type ArchiveWriter,
  createArchiveHousekeeper,
  createArchiveKeeper,
  createArchiveReader,
  createArchiveWriter,
  createTurnsToLearn,
  ensureAccount,
} from '../../archive/index.ts';
import type { Database } from '../../db/index.ts';
import { Canaries, everyValue } from '../../db/testing-traces.ts';
import { learnWaiting } from '../../jobs/index.ts';
import { type ManualClock, manualClock } from '../../kernel/clock.ts';
import { newId, type Uuid } from '../../kernel/ids.ts';
import type { InstallationKey } from '../../kernel/installation-key.ts';
import { createLogger } from '../../kernel/log.ts';
import { createMetrics } from '../../kernel/metrics.ts';
import { systemRandom } from '../../kernel/random.ts';
import { createMemoryReader, createMemoryWriter, drawnFacts } from '../../memory/index.ts';
import { createPipeline, type Pipeline } from './pipeline.ts';
import type { RecordedAnswer } from './protocol.ts';

const installationKey = new Uint8Array(32).fill(3) as InstallationKey;

/** Header lines of a request. */
type Headers = readonly (readonly [string, string])[];

/** One exchange as a test tells of it. */
interface Talk {
  readonly door?: 'anthropic' | 'openai';
  readonly target?: string;
  readonly headers: Headers;
  readonly body: unknown;
  readonly status?: number;
  readonly contentType?: string;
  readonly answer: string;
  readonly ending?: RecordedAnswer['ending'];
}

/** Whose a canary is stands first in its place: the session that alone holds it. */
function ownerOf(headers: Headers): string {
  return headers.find(([name]) => name === 'x-test-owner')?.[1] ?? 'none';
}

const base64 = (text: string) => Buffer.from(text).toString('base64');
/** An event stream of these events. */
const sse = (events: readonly object[]) =>
  events.map((event) => `event: x\ndata: ${JSON.stringify(event)}\n\n`).join('');

/** What a talk says whose answer is an event stream. */
export const STREAM = { contentType: 'text/event-stream' } as const;

/** Whether a place belongs to an owner. */
export const of = (owner: string) => (place: string) => place.startsWith(`${owner} `);

/** An account whose conversations hold a word of its own in every place that can hold one. */
export class CanaryScene {
  readonly canary = new Canaries();
  readonly clock: ManualClock;
  readonly reader: ArchiveReader;
  readonly keeper: ArchiveKeeper;
  readonly housekeeper: ArchiveHousekeeper;
  readonly accountId: Uuid;
  readonly #database: Database;
  readonly #writer: ArchiveWriter;
  readonly #pipeline: Pipeline;

  private constructor(database: Database, clock: ManualClock, accountId: Uuid) {
    this.clock = clock;
    this.accountId = accountId;
    this.#database = database;
    this.#writer = createArchiveWriter(database.pool, { clock, installationKey });
    this.#pipeline = createPipeline(this.#writer);
    const deleting = { clock, drawn: drawnFacts({ clock }) };
    this.reader = createArchiveReader(database.pool, deleting);
    this.keeper = createArchiveKeeper(database.pool, deleting);
    this.housekeeper = createArchiveHousekeeper(database.pool, deleting);
  }

  /** Makes the account. */
  static async open(database: Database, name: string): Promise<CanaryScene> {
    const clock = manualClock(Date.UTC(2026, 10, 30, 9));
    const tools = { clock, random: systemRandom, installationKey };
    return new CanaryScene(database, clock, await ensureAccount(database.pool, name, tools));
  }

  /** Plays one exchange. */
  async play(talk: Talk): Promise<void> {
    this.clock.advance(1000);
    const id = newId(this.clock);
    const { door = 'anthropic', target = '/v1/messages', headers } = talk;
    await this.#pipeline.request({
      id,
      accountId: this.accountId,
      door,
      method: 'POST',
      target,
      headers,
      body: Buffer.from(JSON.stringify(talk.body)),
      receivedAt: this.clock.now(),
    });
    await this.#pipeline.answer({
      id,
      accountId: this.accountId,
      door,
      status: talk.status ?? 200,
      headers: [],
      contentType: talk.contentType ?? 'application/json',
      contentEncoding: '',
      providerRequestId: this.canary.at(`${ownerOf(headers)} provider request`),
      ending: talk.ending ?? 'complete',
      responseBytes: talk.answer.length,
      headMs: 1,
      firstByteMs: 2,
      totalMs: 3,
      ownMs: 1,
      endedAt: this.clock.now(),
      body: Buffer.from(talk.answer),
    });
    await this.#writer.confirm(this.accountId, 500);
    await this.#learn();
  }

  /** Draws facts from what was typed, as the process does behind each turn. */
  async #learn(): Promise<void> {
    const { pool } = this.#database;
    await learnWaiting(
      {
        turns: createTurnsToLearn(pool),
        reader: createMemoryReader(pool),
        writer: createMemoryWriter(pool, { clock: this.clock, accountKey: this.#writer.accountKey }),
        switchesOf: async () => ({ memory: true, timeZone: 'UTC' }),
        clock: this.clock,
        log: createLogger('silent', 'test'),
        metrics: createMetrics(),
      },
      this.accountId,
    );
  }

  /** Header lines of Claude Code in a session of that owner. */
  headersOf(owner: string, more: Headers = []): Headers {
    return [
      ['user-agent', 'claude-cli/2.1.197 (x)'],
      ['x-claude-code-session-id', this.canary.at(`${owner} session name`)],
      ['x-test-owner', owner],
      ['x-passing', this.canary.at(`${owner} never kept: header`)],
      ...more,
    ];
  }

  /** System prompt and tools of a session, in a folder of a repository without a remote. */
  preamble(owner: string, folder: string) {
    const at = (place: string) => this.canary.at(`${owner} ${place}`);
    return {
      model: `claude-${at('model')}`,
      max_tokens: 100,
      system: [
        { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.197' },
        { type: 'text', text: `Prompt ${at('system')}\n - Primary working directory: ${folder}` },
        { type: 'text', text: `Current branch: ${at('branch')}` },
      ],
      tools: [{ name: 'Bash', description: at('tool description'), input_schema: { type: 'object' } }],
      [at('unknown field name')]: at('unknown field'),
    };
  }

  /** A conversation with something in every place that a conversation has. */
  messages(owner: string) {
    const at = (place: string) => this.canary.at(`${owner} ${place}`);
    return [
      { role: 'user', content: `Please ${at('title')}` },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: at('thinking'), signature: base64(at('signature')) },
          { type: 'text', text: at('echoed answer') },
          {
            type: 'tool_use',
            id: 'toolu_1',
            name: 'Read',
            input: { file_path: `/w/${at('path')}.ts`, [at('input key')]: at('input value') },
          },
          {
            type: 'tool_use',
            id: 'toolu_2',
            name: at('tool name'),
            input: { command: `rm ${at('command')}` },
          },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            content: [
              { type: 'text', text: at('result') },
              {
                type: 'image',
                source: { type: 'base64', media_type: 'image/png', data: base64(`\u0089PNG ${at('image')}`) },
              },
            ],
          },
          { type: 'tool_result', tool_use_id: 'toolu_2', is_error: true, content: at('failed result') },
          {
            type: 'document',
            title: at('document title'),
            source: { type: 'base64', media_type: 'application/pdf', data: base64(`%PDF ${at('document')}`) },
          },
          { type: 'made_up', [at('unknown key')]: { deep: [at('unknown part')] } },
          { type: 'text', text: `\ud800 and \0 ${at('text that no column holds')}` },
          { type: 'text', text: `<system-reminder>${at('reminder')}</system-reminder>` },
          { type: 'text', text: `${'long '.repeat(4000)}${at('end of a long text')}` },
        ],
      },
    ];
  }

  /** A streamed answer. */
  answered(owner: string, stop: object = { type: 'message_stop' }): string {
    const at = (place: string) => this.canary.at(`${owner} ${place}`);
    return sse([
      { type: 'message_start', message: { id: at('message id'), model: 'x', usage: {} } },
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'thinking', thinking: '', signature: '' },
      },
      {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'thinking_delta', thinking: at('produced thinking') },
      },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: at('produced text') } },
      { type: 'content_block_stop', index: 1 },
      { type: 'message_delta', delta: { stop_reason: at('stop reason') }, usage: { output_tokens: 1 } },
      stop,
    ]);
  }

  /** A session that goes through everything that a session goes through. */
  async fullSession(owner: string, folder: string): Promise<void> {
    const at = (place: string) => this.canary.at(`${owner} ${place}`);
    const headers = this.headersOf(owner);
    const head = this.preamble(owner, folder);
    const said = this.messages(owner);
    const target = `/v1/messages?beta=${at('never kept: query')}`;
    await this.play({
      target,
      headers,
      body: { ...head, messages: said.slice(0, 1) },
      ...STREAM,
      answer: this.answered(owner),
    });
    await this.play({
      target,
      headers,
      body: { ...head, messages: said },
      ...STREAM,
      answer: this.answered(owner),
    });
    // The same under other bytes: the archive keeps their hashes beside the message.
    const marked = said.map((one, n) => (n === 0 ? { content: one.content, role: one.role } : one));
    const retyped = [
      ...marked.slice(0, 2),
      {
        role: 'user',
        content: `We use ${at('typed after a rewind')}. Remember: our codename is ${at('told to remember')}.`,
      },
    ];
    await this.play({
      headers,
      body: { ...head, messages: retyped },
      ...STREAM,
      answer: sse([
        { type: 'message_start', message: { id: 'm', model: 'x', usage: {} } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: at('partial answer') } },
      ]),
      ending: 'client_gone',
    });
    await this.play({
      headers,
      body: { ...head, messages: [...retyped, { role: 'user', content: at('refused words') }] },
      status: 400,
      answer: JSON.stringify({
        type: 'error',
        error: { type: at('error type'), message: `messages.0: ${at('error message')}` },
      }),
    });
    const agent: Headers = [...headers, ['x-claude-code-agent-id', at('sub-agent id')]];
    const task = [{ role: 'user', content: `Task: ${at('sub-agent task')}` }];
    await this.play({
      headers: agent,
      body: {
        ...head,
        system: [...head.system, { type: 'text', text: at('sub-agent system') }],
        messages: task,
      },
      ...STREAM,
      answer: this.answered(`${owner} sub-agent`),
    });
  }

  /** Which canaries are anywhere in the tables now. */
  async found(): Promise<readonly string[]> {
    return this.canary.foundIn(await everyValue(this.#database.pool));
  }

  /** All places, but those that are never kept. */
  kept(isOwners: (place: string) => boolean): readonly string[] {
    return this.canary.places().filter((place) => isOwners(place) && !place.includes('never kept'));
  }

  async sessionNamed(owner: string): Promise<Uuid> {
    const { rows } = await this.#database.pool.query<{ id: Uuid }>(
      'SELECT id FROM session WHERE account_id = $1 AND client_session_id = $2',
      [this.accountId, this.canary.at(`${owner} session name`)],
    );
    const [row] = rows;
    if (row === undefined) throw new Error(`no session of ${owner}`);
    return row.id;
  }

  async projectOf(sessionId: Uuid): Promise<Uuid> {
    const session = await this.reader.getSession(this.accountId, sessionId);
    if (session?.project == null) throw new Error('the session is in no project');
    return session.project.id;
  }

  /** Rows of the account by table, but what stays: the account, its numbers, the audit. */
  async rowsLeft(): Promise<Readonly<Record<string, number>>> {
    const { rows: tables } = await this.#database.pool.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.columns
       WHERE table_schema = current_schema() AND column_name = 'account_id'
         AND table_name NOT IN ('audit', 'search_state', 'recall_state', 'memory_count')`,
    );
    const left: Record<string, number> = {};
    for (const { name } of tables) {
      const { rows } = await this.#database.pool.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM ${name} WHERE account_id = $1`,
        [this.accountId],
      );
      if (rows[0]?.n) left[name] = rows[0].n;
    }
    return left;
  }
}
