import type { PlaceClaim } from '../../conversation/index.ts';
import type { Clock, Millis } from '../../kernel/clock.ts';
import { newId, type Uuid } from '../../kernel/ids.ts';
import { maskText } from '../../redaction/index.ts';
import { type LocateRepository, type PlaceName, placeName, REMOTE_IDENTITY } from '../place.ts';
import type { Place } from '../types.ts';
import { type Queryable, type StorePool, transaction } from './connection.ts';
import { dateOf, name, nameOrNull } from './values.ts';

/** Milliseconds for which a claim that was resolved is not resolved anew: a branch may change, a folder become a repository. */
const KEPT_MS = 10_000;
/** Claims that are kept at once. */
const KEPT = 500;

/** Finds or makes the project and worktree of a claim, and remembers for a while what it found. */
export interface PlaceResolver {
  resolve(accountId: Uuid, claim: PlaceClaim, at: Millis): Promise<Place | null>;
  /** Forgets what was found: a project was deleted. */
  forget(): void;
}

/** Makes a {@link PlaceResolver}. */
export function placeResolver(
  pool: StorePool,
  clock: Clock,
  locate: LocateRepository,
  accountKey: (accountId: Uuid) => Promise<Uint8Array>,
): PlaceResolver {
  const kept = new Map<string, { readonly until: number; readonly place: Place | null }>();
  const resolve: PlaceResolver['resolve'] = async (accountId, claim, at) => {
    const key = JSON.stringify([accountId, claim.folder, claim.root, claim.remoteUrl, claim.branch]);
    const found = kept.get(key);
    const now = clock.monotonic();
    if (found && found.until > now) return found.place;
    const folder = claim.root ?? claim.folder;
    const named = placeName(claim, folder === null ? null : await locate(folder));
    const masked = named === null ? null : await maskPlace(named, await accountKey(accountId));
    const place = masked === null ? null : await findPlace(pool, clock, accountId, masked, at);
    if (kept.size >= KEPT) kept.clear();
    kept.set(key, { until: now + KEPT_MS, place });
    return place;
  };
  return { resolve, forget: () => kept.clear() };
}

/** A place as it may be stored: only here, since the machine must be asked for the folder by its real name. */
async function maskPlace(named: PlaceName, key: Uint8Array): Promise<PlaceName> {
  const masked = async (text: string) => (await maskText(text, key)).text;
  return {
    identities: await Promise.all(named.identities.map(masked)),
    project: await masked(named.project),
    path: await masked(named.path),
    branch: named.branch === null ? null : await masked(named.branch),
  };
}

interface KnownIdentity {
  readonly identity: string;
  readonly project_id: Uuid;
  readonly has_remote: boolean;
}

async function findPlace(
  pool: StorePool,
  clock: Clock,
  accountId: Uuid,
  named: PlaceName,
  at: Millis,
): Promise<Place> {
  const identities = named.identities.map(name);
  const known = await readIdentities(pool, accountId, identities);
  const projectId = known.length === identities.length ? projectAmong(identities, known) : null;
  if (projectId !== null) {
    const { rows } = await pool.query<{ id: Uuid }>(
      `SELECT id FROM worktree
       WHERE account_id = $1 AND project_id = $2 AND path = $3 AND ($4::text IS NULL OR branch IS NOT DISTINCT FROM $4)`,
      [accountId, projectId, name(named.path), nameOrNull(named.branch)],
    );
    const [row] = rows;
    if (row) return { projectId, worktreeId: row.id };
  }
  return transaction(pool, (connection) => makePlace(connection, clock, accountId, named, identities, at));
}

/** Finds or makes everything under the account's lock, so that two gateways make one project. */
async function makePlace(
  connection: Queryable,
  clock: Clock,
  accountId: Uuid,
  named: PlaceName,
  identities: readonly string[],
  at: Millis,
): Promise<Place> {
  await connection.query('SELECT 1 FROM account WHERE id = $1 FOR NO KEY UPDATE', [accountId]);
  const known = await readIdentities(connection, accountId, identities);
  let projectId = projectAmong(identities, known);
  if (projectId === null) {
    projectId = newId(clock);
    await connection.query('INSERT INTO project (account_id, id, name, created_at) VALUES ($1, $2, $3, $4)', [
      accountId,
      projectId,
      name(named.project),
      dateOf(at),
    ]);
  }
  await connection.query(
    `INSERT INTO project_identity (account_id, identity, project_id)
     SELECT $1, identity, $2 FROM unnest($3::text[]) AS given(identity)
     ON CONFLICT (account_id, identity) DO UPDATE SET project_id = EXCLUDED.project_id`,
    [accountId, projectId, identities],
  );
  const { rows } = await connection.query<{ id: Uuid }>(
    `INSERT INTO worktree (account_id, id, project_id, path, branch, seen_at) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (account_id, project_id, path) DO UPDATE
       SET branch = COALESCE(EXCLUDED.branch, worktree.branch), seen_at = GREATEST(EXCLUDED.seen_at, worktree.seen_at)
     RETURNING id`,
    [accountId, newId(clock), projectId, name(named.path), nameOrNull(named.branch), dateOf(at)],
  );
  const [row] = rows;
  if (!row) throw new Error('a worktree was neither made nor found');
  return { projectId, worktreeId: row.id };
}

async function readIdentities(
  from: Queryable,
  accountId: Uuid,
  identities: readonly string[],
): Promise<readonly KnownIdentity[]> {
  const { rows } = await from.query<KnownIdentity>(
    `SELECT i.identity, i.project_id, EXISTS (
       SELECT 1 FROM project_identity r
       WHERE r.account_id = i.account_id AND r.project_id = i.project_id AND starts_with(r.identity, $3)
     ) AS has_remote
     FROM project_identity i WHERE i.account_id = $1 AND i.identity = ANY($2::text[])`,
    [accountId, identities, REMOTE_IDENTITY],
  );
  return rows;
}

/**
 * The project that these identities name, strongest first. A folder whose repository has another remote than before
 * holds another project: a weaker identity counts only where the project has no remote of its own, or none was named.
 */
function projectAmong(identities: readonly string[], known: readonly KnownIdentity[]): Uuid | null {
  const namesRemote = identities.some((identity) => identity.startsWith(REMOTE_IDENTITY));
  for (const identity of identities) {
    const row = known.find((one) => one.identity === identity);
    if (!row) continue;
    if (identity.startsWith(REMOTE_IDENTITY) || !namesRemote || !row.has_remote) return row.project_id;
  }
  return null;
}
