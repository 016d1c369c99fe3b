import type { Millis } from '../../kernel/clock.ts';
import { isUuid, type Uuid } from '../../kernel/ids.ts';
import type { Retention } from '../retention.ts';
import { type CleaningOptions, cleanAfterDeletion } from './cleaning.ts';
import type { StorePool } from './connection.ts';
import { type DeletingOptions, eraseTools } from './drawn.ts';
import { deleteArchive, deleteProject } from './erasure-whole.ts';
import { exclusively } from './exclusive.ts';
import { countDue, dropForgottenPlaces, expireSessions, type RetentionReport } from './expiry.ts';
import {
  carryOutDeletions,
  type DeletionTarget,
  planDeletion,
  plannedDeletions,
  renewPlans,
  undoDeletion,
} from './planned-deletions.ts';
import { type RetentionSettings, readRetention, writeRetention } from './settings.ts';

/** What a person decides about what is kept. Every call is limited to one account in SQL. */
export interface ArchiveKeeper {
  /** Removes a project really: its sessions, worktrees and names. False: there is none. */
  deleteProject(accountId: Uuid, projectId: Uuid, at: Millis): Promise<boolean>;
  /** Removes everything of the account's archive; its settings and its audit stay. */
  deleteArchive(accountId: Uuid, at: Millis): Promise<void>;
  /** Plans a deletion that can be taken back for a while; answers when it is due. Null: there is nothing of that id. */
  planDeletion(accountId: Uuid, target: DeletionTarget, at: Millis): Promise<Millis | null>;
  /** Takes back what was planned for a session or project, and what would take it along. False: nothing to take back. */
  undoDeletion(accountId: Uuid, subject: Uuid): Promise<boolean>;
  /** When what is planned is due, by the id of session, project or account. */
  plannedDeletions(accountId: Uuid): Promise<ReadonlyMap<Uuid, Millis>>;
  /** How long sessions are kept, and how many are older than that at `at`. */
  retention(accountId: Uuid, at: Millis): Promise<RetentionSettings & { readonly due: number }>;
  /** Sets it for a project, or (`scope` is the account) for all others; null: as the account. False: no such project. */
  setRetention(accountId: Uuid, scope: Uuid, retention: Retention | null, at: Millis): Promise<boolean>;
  /** Bytes of the whole database on disk, of all accounts, without its log. */
  databaseBytes(): Promise<number>;
}

/** The work on what is kept that a process does by itself. One process of many does each piece at a time. */
export interface ArchiveHousekeeper {
  /** For a process that starts: deletions that were planned before it can be taken back for a while again. */
  renewPlans(accountId: Uuid): Promise<void>;
  /**
   * Carries out the deletions that are due and those that were cut off.
   * @returns how many, and when the next is due (null: none is planned); null: another process is at it
   */
  carryOutDeletions(accountId: Uuid): Promise<{ readonly done: number; readonly next: Millis | null } | null>;
  /** Deletes what is older than a person lets it be kept. Null: another process is at it. */
  expire(accountId: Uuid, isFirst: boolean): Promise<RetentionReport | null>;
  /** Deletes places that an agent named in passing; answers how many rows went. */
  dropForgottenPlaces(accountId: Uuid): Promise<number>;
  /** Takes deleted rows out of files; answers which tables were written anew. Null: another process is at it. */
  clean(options: CleaningOptions): Promise<{ readonly rewritten: readonly string[] } | null>;
}

/** Makes an {@link ArchiveKeeper} over a pool. An id that has not the form of one is an id of nothing. */
export function createArchiveKeeper(pool: StorePool, options: DeletingOptions): ArchiveKeeper {
  const tools = eraseTools(options);
  return {
    deleteProject: async (accountId, id, at) =>
      isUuid(id) ? deleteProject(pool, tools, accountId, id, at) : false,
    deleteArchive: (accountId, at) => deleteArchive(pool, tools, accountId, at),
    planDeletion: async (accountId, target, at) =>
      isUuid(target.subject) ? planDeletion(pool, accountId, target, at) : null,
    undoDeletion: async (accountId, subject) =>
      isUuid(subject) ? undoDeletion(pool, accountId, subject) : false,
    plannedDeletions: (accountId) => plannedDeletions(pool, accountId),
    async retention(accountId, at) {
      const settings = await readRetention(pool, accountId);
      return { ...settings, due: (await countDue(pool, accountId, settings, at)).due };
    },
    setRetention: async (accountId, scope, retention, at) =>
      isUuid(scope) ? writeRetention(pool, accountId, scope, retention, at) : false,
    async databaseBytes() {
      const { rows } = await pool.query<{ bytes: string }>(
        'SELECT pg_database_size(current_database())::text AS bytes',
      );
      return Number(rows[0]?.bytes);
    },
  };
}

/** Makes an {@link ArchiveHousekeeper} over a pool. */
export function createArchiveHousekeeper(pool: StorePool, options: DeletingOptions): ArchiveHousekeeper {
  const tools = eraseTools(options);
  const { clock } = tools;
  return {
    renewPlans: (accountId) => renewPlans(pool, accountId, clock.now()),
    carryOutDeletions: (accountId) =>
      exclusively(pool, 'deletions', () => carryOutDeletions(pool, tools, accountId)),
    expire: (accountId, isFirst) =>
      exclusively(pool, 'retention', () => expireSessions(pool, tools, accountId, isFirst)),
    dropForgottenPlaces: (accountId) => dropForgottenPlaces(pool, tools, accountId),
    clean: (options) => exclusively(pool, 'cleaning', () => cleanAfterDeletion(pool, options)),
  };
}
