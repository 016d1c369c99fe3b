import { isUuid } from '../../kernel/ids.ts';
import type { ArchiveReader } from '../types.ts';
import type { StorePool } from './connection.ts';
import { readBlob, readBytes, readDocument, readRaw } from './documents.ts';
import { type DeletingOptions, eraseTools } from './drawn.ts';
import { deleteSession } from './erasure.ts';
import { findMatches, readEvent, readLog } from './log.ts';
import { connections, getRequest, listRequests } from './request-list.ts';
import { search } from './search.ts';
import { getSession, listProjects, listSessions } from './sessions.ts';
import { exportSession } from './transfer.ts';

/** The archive's reading side over a pool. An id that has not the form of one is an id of nothing. */
export function createArchiveReader(pool: StorePool, options: DeletingOptions): ArchiveReader {
  return {
    search: (accountId, filter) => search(pool, accountId, filter),
    listSessions: async (accountId, filter) =>
      filter.projectId === undefined || isUuid(filter.projectId)
        ? listSessions(pool, accountId, filter)
        : { items: [], next: null },
    getSession: async (accountId, id) => (isUuid(id) ? getSession(pool, accountId, id) : null),
    readLog: async (accountId, id, filter) =>
      isUuid(id) ? readLog(pool, accountId, id, filter) : { matched: 0, showing: 0, rows: [] },
    findMatches: async (accountId, id, filter) =>
      isUuid(id) ? findMatches(pool, accountId, id, filter) : { total: 0, matched: 0, items: [] },
    readEvent: async (accountId, id, seq) => (isUuid(id) ? readEvent(pool, accountId, id, seq) : null),
    readDocument: (accountId, docid, part) => readDocument(pool, accountId, docid, part),
    readRaw: (accountId, docid) => readRaw(pool, accountId, docid),
    readBytes: (accountId, docid, part) => readBytes(pool, accountId, docid, part),
    readBlob: (accountId, hash) => readBlob(pool, accountId, hash),
    listRequests: async (accountId, filter) =>
      filter.sessionId === undefined || isUuid(filter.sessionId)
        ? listRequests(pool, accountId, filter)
        : { items: [], next: null },
    getRequest: async (accountId, id) => (isUuid(id) ? getRequest(pool, accountId, id) : null),
    listProjects: (accountId) => listProjects(pool, accountId),
    exportSession: (accountId, id) => (isUuid(id) ? exportSession(pool, accountId, id) : nothing()),
    deleteSession: async (accountId, id, at) =>
      isUuid(id)
        ? deleteSession(
            pool,
            eraseTools(options),
            { accountId, sessionId: id, by: 'person', notSeenSince: null },
            at,
          )
        : false,
    connections: (accountId) => connections(pool, accountId),
  };
}

async function* nothing(): AsyncGenerator<string> {}
