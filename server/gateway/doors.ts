import type { Door } from '../kernel/env.ts';

/** Where a request target leads: a door with what stands behind it, or a target that no door may take. */
export type DoorMatch =
  | {
      readonly kind: 'door';
      readonly door: Door;
      /** Path and query behind the door exactly as received, beginning with `/`. */
      readonly target: string;
      /** The gateway key that stood in the path, still percent-encoded; null without one. */
      readonly key: string | null;
    }
  | {
      readonly kind: 'refused';
      /** The door whose error shape is to be used; null where the target names none. */
      readonly door: Door | null;
      /** What was wrong, as a sentence for the client. */
      readonly message: string;
    };

const DOORS: readonly Door[] = ['anthropic', 'openai', 'chatgpt'];

/**
 * Finds the door of a request target as it stood in the request line. Nothing is decoded or normalised.
 * Absolute-form targets and paths that begin with `//` (before or behind the door) are refused, because a
 * client must never choose the upstream host.
 * @returns null where the target is not for a door.
 */
export function matchDoor(target: string): DoorMatch | null {
  if (!target.startsWith('/')) {
    if (target === '*' || target === '') return null;
    return {
      kind: 'refused',
      door: null,
      message: 'The request target must be a path, not a whole address.',
    };
  }
  if (target.startsWith('//')) return { kind: 'refused', door: doorNamed(target), message: DOUBLE_SLASH };
  const open = matchPrefix(target, 1);
  if (open !== null) return behind(open.door, target, open.end, null);
  if (!target.startsWith(KEYED)) return null;
  const slash = target.indexOf('/', KEYED.length);
  const keyed = slash > KEYED.length ? matchPrefix(target, slash + 1) : null;
  if (keyed === null) return { kind: 'refused', door: null, message: NO_KEYED_DOOR };
  return behind(keyed.door, target, keyed.end, target.slice(KEYED.length, slash));
}

/** What a path with a key begins with. Such a path goes to a door or nowhere: nothing else may come to see the key. */
const KEYED = '/k/';
const NO_KEYED_DOOR = 'A key in the path is followed by a door: /k/<key>/anthropic, /openai or /chatgpt.';
const DOUBLE_SLASH = 'The path must not begin with two slashes.';

/** The door whose name is the first segment of a path, however many slashes stand before it. */
function doorNamed(target: string): Door | null {
  const first = /^\/+([a-z]+)/.exec(target)?.[1];
  return DOORS.find((door) => door === first) ?? null;
}

function matchPrefix(target: string, at: number): { door: Door; end: number } | null {
  for (const door of DOORS) {
    if (!target.startsWith(door, at)) continue;
    const end = at + door.length;
    const next = target[end];
    if (next === undefined || next === '/' || next === '?') return { door, end };
  }
  return null;
}

function behind(door: Door, target: string, end: number, key: string | null): DoorMatch {
  const rest = target.slice(end);
  if (rest.startsWith('//')) return { kind: 'refused', door, message: DOUBLE_SLASH };
  return { kind: 'door', door, target: rest.startsWith('/') ? rest : `/${rest}`, key };
}

/** The upstream of a door: its origin, and the path that stands before everything that is forwarded. */
export interface UpstreamBase {
  readonly origin: string;
  /** What the `Host` header says: name, and port where it is not the scheme's own. */
  readonly host: string;
  /** Path of the configured address without a closing slash; empty for a bare host. */
  readonly path: string;
}

/** Splits a configured upstream address. @throws TypeError where it is not an address (readEnv has checked it). */
export function upstreamBase(address: string): UpstreamBase {
  const url = new URL(address);
  return { origin: url.origin, host: url.host, path: url.pathname.replace(/\/+$/, '') };
}

/**
 * The path and query that go to the upstream: its base path and the target, unchanged.
 * @returns null where dot segments would climb out of the base path once the upstream resolves them.
 */
export function upstreamTarget(base: UpstreamBase, target: string): string | null {
  if (base.path !== '' && climbsOut(target)) return null;
  return base.path + target;
}

/** Segment ends as lenient servers see them: slashes and backslashes, bare or percent-encoded. */
const SEPARATOR = /\/|\\|%2f|%5c/i;

function climbsOut(target: string): boolean {
  const end = target.search(/[?#]/);
  const path = end === -1 ? target : target.slice(0, end);
  if (!/\.|%2e/i.test(path)) return false;
  let depth = 0;
  for (const segment of path.split(SEPARATOR).slice(1)) {
    const plain = segment.replace(/%2e/gi, '.').split(';')[0];
    if (plain === '..') depth -= 1;
    else if (plain !== '.' && plain !== '') depth += 1;
    if (depth < 0) return true;
  }
  return false;
}
