import type pg from 'pg';
import { breathe } from '../../kernel/breath.ts';
import type { Clock } from '../../kernel/clock.ts';
import { ContextModeError } from '../../kernel/errors.ts';
import { isUuid, type Uuid } from '../../kernel/ids.ts';
import type { ImportedSession } from '../types.ts';
import { tick } from './content.ts';
import { writeAudit } from './erasure.ts';
import { importFault } from './import-fault.ts';
import { ContentReader, isFields, listIn, textIn } from './import-items.ts';
import {
  checkRow,
  IMPORT_TABLES,
  type ImportColumns,
  type ImportRow,
  type ImportTable,
  insertRows,
} from './import-rows.ts';
import { EXPORT_FORMAT, EXPORT_VERSION } from './transfer.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Bytes and rows that are held before they are written. */
const BYTES_AT_ONCE = 1024 * 1024;
const ROWS_AT_ONCE = 500;

/** What an import of a session needs beside its lines. */
export interface ImportTools {
  readonly clock: Clock;
  /** The account's key. */
  readonly key: Uint8Array;
  readonly columns: ImportColumns;
  readonly accountId: Uuid;
  /** True where a session that was made with another key is taken as it is. */
  readonly foreign: boolean;
}

/** Takes the lines of one session inside one transaction, from its header to its end. */
export class SessionImport {
  readonly #connection: pg.PoolClient;
  readonly #tools: ImportTools;
  readonly #content: ContentReader;
  readonly #rows = new Map<ImportTable, ImportRow[]>();
  readonly #session: Fields;
  readonly #id: Uuid;
  readonly #line: number;
  readonly #threads: ImportRow[] = [];
  /** Ids of worktrees that the archive knows by another id. */
  readonly #worktrees = new Map<string, string>();
  /** Messages that no event was seen of yet, with their lines. */
  readonly #unseen = new Map<string, number>();
  readonly #requests = new Set<string>();
  /** What the archive holds of the session already; null: nothing. */
  #known: { readonly next_seq: number } | null = null;
  #events = 0;
  #newEvents = 0;
  #written = 0;
  #held = 0;
  #heldRows = 0;
  /** Rows after which the server is told of them. */
  #countAt = 1000;

  /** @throws ContextModeError `bad_request` where the line is no header of an export */
  constructor(connection: pg.PoolClient, tools: ImportTools, line: number, header: Fields) {
    const { session } = header;
    if (header.format !== EXPORT_FORMAT || !isFields(session))
      throw importFault(line, 'is not the header of a session that was exported from an archive');
    if (typeof header.version !== 'number' || header.version > EXPORT_VERSION)
      throw importFault(line, 'begins an export of a newer version; upgrade first');
    const id = textIn(line, session, 'id');
    if (!isUuid(id)) throw importFault(line, 'has a session whose id is none');
    this.#connection = connection;
    this.#tools = tools;
    this.#content = new ContentReader(tools.key, tools.foreign);
    this.#session = session;
    this.#id = id;
    this.#line = line;
  }

  /** Writes the session's own row, which all others hang on. */
  async begin(): Promise<void> {
    const { accountId, foreign } = this.#tools;
    const { rows } = await this.#connection.query<{ next_seq: number }>(
      'SELECT next_seq FROM session WHERE account_id = $1 AND id = $2',
      [accountId, this.#id],
    );
    this.#known = rows[0] ?? null;
    checkRow(this.#tools.columns, 'session', { line: this.#line, row: this.#session });
    if (this.#known !== null) return;
    // A session under another key cannot be gone on with: it must not be taken for the agent's.
    const row = foreign ? { ...this.#session, client_session_id: null } : this.#session;
    const written = await this.#insert('session', [{ line: this.#line, row }]);
    if (written > 0) return;
    throw new ContextModeError(
      'conflict',
      `Line ${this.#line}: the agent's conversation is in the archive already, as another session.`,
      { hint: 'Delete that session first, or leave this one out.' },
    );
  }

  /** Takes a line. Gives what became of the session once it is its last; else null. */
  async take(line: number, name: string, fields: Fields): Promise<ImportedSession | null> {
    if (name === 'end') return this.#end(line, fields);
    await this.#takeRow(line, name, fields);
    if (this.#held > BYTES_AT_ONCE || this.#heldRows >= ROWS_AT_ONCE) await this.#flush();
    return null;
  }

  async #takeRow(line: number, name: string, fields: Fields): Promise<void> {
    const take = (table: ImportTable, row: ImportRow) => this.#hold(table, row);
    if (name === 'blob') this.#held += this.#content.blob(line, fields, take);
    else if (name === 'message') {
      const { hash, size } = this.#content.message(line, fields, take);
      this.#held += size;
      this.#unseen.set(hash, line);
    } else if (name === 'event') this.#event(line, fields);
    else if (name === 'project') this.#project(line, fields);
    else if (name === 'worktree') await this.#worktree(line, fields);
    else if (name === 'thread') this.#thread(line, fields);
    else if (name === 'preamble') this.#preamble(line, fields);
    else if (name === 'request') {
      this.#requests.add(textIn(line, fields, 'id'));
      this.#hold('request', { line, row: { ...fields, session_id: this.#id } });
    } else if (name === 'answer') {
      if (!this.#requests.has(textIn(line, fields, 'request_id')))
        throw importFault(line, 'has an answer without its request');
      this.#hold('answer', { line, row: fields });
    } else throw importFault(line, `begins with "${name.slice(0, 40)}", which no export has`);
  }

  #project(line: number, { identities, ...row }: Fields): void {
    this.#hold('project', { line, row });
    for (const identity of Array.isArray(identities) ? identities : [])
      this.#hold('project_identity', { line, row: { identity, project_id: row.id } });
  }

  /** A worktree that the archive knows under another id keeps that one. */
  async #worktree(line: number, row: Fields): Promise<void> {
    this.#hold('worktree', { line, row });
    await this.#flush();
    const { rows } = await this.#connection.query<{ id: string }>(
      'SELECT id FROM worktree WHERE account_id = $1 AND project_id = $2 AND path = $3',
      [this.#tools.accountId, row.project_id, row.path],
    );
    const [known] = rows;
    if (known !== undefined) this.#worktrees.set(textIn(line, row, 'id'), known.id);
  }

  #thread(line: number, fields: Fields): void {
    const one = { line, row: { ...fields, session_id: this.#id } };
    this.#threads.push(one);
    this.#hold('thread', one);
  }

  #event(line: number, fields: Fields): void {
    this.#events += 1;
    if (fields.seq !== this.#events)
      throw importFault(line, `has an event at another position than ${this.#events}, where it belongs`);
    if (!this.#threads.some((thread) => thread.row.id === fields.thread_id))
      throw importFault(line, 'has an event of a thread that the export does not have');
    if (typeof fields.message_hash === 'string') this.#unseen.delete(fields.message_hash);
    this.#hold('event', { line, row: { ...fields, session_id: this.#id } });
  }

  #preamble(line: number, fields: Fields): void {
    const bodies = Array.isArray(fields.bodies) ? fields.bodies : [];
    const hex = bodies.map((body) => Buffer.from(String(body), 'base64').toString('hex'));
    this.#held += hex.reduce((sum, body) => sum + body.length, 0);
    this.#hold('preamble', { line, row: { ...fields, bodies: hex } });
  }

  #hold(table: ImportTable, one: ImportRow): void {
    const { worktree_id: given } = one.row;
    const known = typeof given === 'string' ? this.#worktrees.get(given) : undefined;
    const row = known === undefined ? one.row : { ...one.row, worktree_id: known };
    const rows = this.#rows.get(table) ?? [];
    rows.push({ line: one.line, row });
    this.#rows.set(table, rows);
    this.#heldRows += 1;
  }

  async #flush(): Promise<void> {
    for (const table of IMPORT_TABLES) {
      const rows = this.#rows.get(table);
      if (rows === undefined || rows.length === 0) continue;
      const written = await this.#insert(table, rows);
      this.#written += written;
      if (table === 'event') this.#newEvents += written;
      if (table === 'item') await this.#checkItems(rows);
      if (table === 'event') await this.#checkEvents(rows);
      if (table === 'thread') await this.#checkThreads(rows);
      await breathe();
    }
    if (this.#written >= this.#countAt) await this.#tellPlanner();
    this.#rows.clear();
    this.#held = 0;
    this.#heldRows = 0;
  }

  /**
   * The server plans its look-ups, also those of its own rules, by how many rows it believes in. Inside a transaction
   * nobody tells it of new ones: with a table that was nearly empty before, each row would cost more than the last.
   */
  async #tellPlanner(): Promise<void> {
    this.#countAt *= 4;
    await this.#connection.query('ANALYZE (SKIP_LOCKED) message, item, event');
  }

  #insert(table: ImportTable, rows: readonly ImportRow[]): Promise<number> {
    return insertRows(this.#connection, this.#tools.columns, this.#tools.accountId, table, rows);
  }

  /** Each item is there: none was left out because another one has its id. */
  async #checkItems(rows: readonly ImportRow[]): Promise<void> {
    const { rows: missing } = await this.#connection.query<{ n: string }>(
      `SELECT g.n FROM unnest($2::text[], $3::int[]) WITH ORDINALITY AS g(hash, position, n)
       WHERE (SELECT i.position FROM item i WHERE i.account_id = $1 AND i.message_hash = decode(g.hash, 'hex')
           AND i.position = g.position LIMIT 1) IS NULL LIMIT 1`,
      [this.#tools.accountId, rows.map((one) => one.row.message_hash), rows.map((one) => one.row.position)],
    );
    const line = rows[Number(missing[0]?.n) - 1]?.line;
    if (line !== undefined) throw importFault(line, 'has an item whose id another item of the archive has');
  }

  /** The log holds at each position what the export has there. */
  async #checkEvents(rows: readonly ImportRow[]): Promise<void> {
    const { rows: others } = await this.#connection.query<{ n: string }>(
      `SELECT g.n
       FROM unnest($3::int[], $4::text[], $5::text[], $6::int[]) WITH ORDINALITY AS g(seq, kind, hash, position, n)
       WHERE (SELECT e.kind = g.kind AND e.position IS NOT DISTINCT FROM g.position
                AND e.message_hash IS NOT DISTINCT FROM decode(g.hash, 'hex')
              FROM event e WHERE e.account_id = $1 AND e.session_id = $2 AND e.seq = g.seq LIMIT 1) IS NOT TRUE
       ORDER BY g.n LIMIT 1`,
      [
        this.#tools.accountId,
        this.#id,
        rows.map((one) => one.row.seq),
        rows.map((one) => one.row.kind),
        rows.map((one) => one.row.message_hash ?? null),
        rows.map((one) => one.row.position ?? null),
      ],
    );
    const one = rows[Number(others[0]?.n) - 1];
    if (one !== undefined) {
      throw new ContextModeError(
        'conflict',
        `Line ${one.line}: the archive holds something else at position ${String(one.row.seq)} of this session.`,
        {
          hint: 'The session went on differently since it was exported. Delete it first, or keep it as it is.',
        },
      );
    }
  }

  async #checkThreads(rows: readonly ImportRow[]): Promise<void> {
    const { rows: there } = await this.#connection.query<{ id: string }>(
      'SELECT id FROM thread WHERE account_id = $1 AND session_id = $2',
      [this.#tools.accountId, this.#id],
    );
    const stranger = rows.find((one) => !there.some((thread) => thread.id === one.row.id));
    if (stranger === undefined) return;
    throw new ContextModeError(
      'conflict',
      `Line ${stranger.line}: the archive holds this thread of the session under another id.`,
      { hint: 'The session was begun anew since it was exported. Delete it first, or keep it as it is.' },
    );
  }

  async #end(line: number, fields: Fields): Promise<ImportedSession> {
    await this.#flush();
    const total = Number(this.#session.next_seq) - 1;
    if (fields.events !== this.#events || this.#events !== total)
      throw importFault(line, `ends a session of ${total} events, of which ${this.#events} came`);
    const [orphan] = this.#unseen.values();
    if (orphan !== undefined) throw importFault(orphan, 'has a message that no event refers to');
    const { accountId, clock } = this.#tools;
    const { at } = await tick(this.#connection, accountId, clock.now());
    if (this.#known !== null && this.#written > 0) await this.#catchUp(this.#known.next_seq);
    if (this.#known === null) await this.#placeSession();
    if (this.#content.untouched)
      await this.#connection.query(`UPDATE account SET touch_cursor = ''::bytea WHERE id = $1`, [accountId]);
    const wasThere = this.#known !== null;
    if (!wasThere || this.#written > 0) {
      await writeAudit(this.#connection, clock, {
        accountId,
        at,
        by: 'person',
        act: 'session.import',
        subject: this.#id,
        data: { events: this.#newEvents },
      });
    }
    return {
      id: this.#id,
      title: typeof this.#session.title === 'string' ? this.#session.title : '',
      state: wasThere ? (this.#written > 0 ? 'extended' : 'present') : 'imported',
      events: this.#newEvents,
    };
  }

  /** The session's own row was written before it was known whether the archive calls its worktree by another id. */
  async #placeSession(): Promise<void> {
    const { worktree_id: given } = this.#session;
    const known = typeof given === 'string' ? this.#worktrees.get(given) : undefined;
    if (known === undefined || known === given) return;
    await this.#connection.query('UPDATE session SET worktree_id = $3 WHERE account_id = $1 AND id = $2', [
      this.#tools.accountId,
      this.#id,
      known,
    ]);
  }

  /** A session that was there already is brought to where the export is, if that is farther. */
  async #catchUp(nextSeq: number): Promise<void> {
    const ours = [this.#tools.accountId, this.#id];
    await this.#connection.query('SELECT 1 FROM session WHERE account_id = $1 AND id = $2 FOR UPDATE', ours);
    await this.#connection.query(
      `UPDATE session s SET requests = (
         SELECT count(*)::int FROM request r WHERE r.account_id = s.account_id AND r.session_id = s.id)
       WHERE account_id = $1 AND id = $2`,
      ours,
    );
    const { next_seq: end, turns, title, last_seen_at: lastSeenAt } = this.#session;
    if (Number(end) <= nextSeq) return;
    await this.#connection.query(
      `UPDATE session SET next_seq = GREATEST(next_seq, $3), turns = GREATEST(turns, $4),
         title = CASE WHEN title = '' THEN $5 ELSE title END, last_seen_at = GREATEST(last_seen_at, $6)
       WHERE account_id = $1 AND id = $2`,
      [...ours, end, turns, title, lastSeenAt],
    );
    await this.#connection.query(
      `UPDATE thread t SET head = decode(g.head, 'hex'), last_request = decode(g.last_request, 'hex')
       FROM unnest($3::uuid[], $4::text[], $5::text[]) AS g(id, head, last_request)
       WHERE t.account_id = $1 AND t.session_id = $2 AND t.id = g.id`,
      [
        ...ours,
        this.#threads.map(({ row }) => row.id),
        this.#threads.map(({ row }) => row.head ?? null),
        this.#threads.map(({ row }) => row.last_request ?? null),
      ],
    );
  }
}

/** The one field of a line and what it holds. @throws ContextModeError `bad_request` */
export function readLine(line: number, text: string): { readonly name: string; readonly fields: Fields } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw importFault(line, 'is not JSON', cause);
  }
  const [entry, more] = isFields(value) ? Object.entries(value) : [];
  if (entry === undefined || more !== undefined || !isFields(entry[1]))
    throw importFault(line, 'is not an object with one named object in it');
  listIn(line, [entry[1]]);
  return { name: entry[0], fields: entry[1] };
}
