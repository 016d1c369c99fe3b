import type { PlaceClaim } from '../conversation/index.ts';

/** A repository as the file system of the machine shows it. */
export interface LocatedRepository {
  /** Root of the working tree that holds the folder. */
  readonly root: string;
  /** The folder that all working trees of the repository share. */
  readonly commonDir: string;
  readonly remoteUrl: string | null;
  readonly branch: string | null;
}

/** Looks up the repository that holds a folder of this machine; null: none, or no such folder. Never throws. */
export type LocateRepository = (folder: string) => Promise<LocatedRepository | null>;

/** Where an agent works, in the words that projects and worktrees are found by. */
export interface PlaceName {
  /** What the project is recognised by, strongest first; all of them name the one project. */
  readonly identities: readonly string[];
  /** What a person calls the project. */
  readonly project: string;
  /** Root of the working tree, or the folder outside any. */
  readonly path: string;
  readonly branch: string | null;
}

/** Beginning of the identities that are remote addresses: the strongest kind. */
export const REMOTE_IDENTITY = 'remote:';

/**
 * The place that a claim names, with what the machine knows of the folder. A project is its repository's remote address,
 * else the folder that its working trees share, else its root, else the working folder. Null where nothing is claimed.
 */
export function placeName(claim: PlaceClaim, located: LocatedRepository | null): PlaceName | null {
  const path = located?.root ?? claim.root ?? claim.folder;
  if (path === null || path === '') return null;
  const remoteUrl = claim.remoteUrl ?? located?.remoteUrl ?? null;
  const remote = remoteUrl === null ? null : normalRemote(remoteUrl);
  const identities: string[] = [];
  if (remote !== null) identities.push(`${REMOTE_IDENTITY}${remote}`);
  if (located !== null) identities.push(`repository:${located.commonDir}`);
  else if (claim.root !== null) identities.push(`repository:${claim.root}`);
  else if (remote === null) identities.push(`folder:${path}`);
  return {
    identities,
    project: lastSegment(remote ?? (located === null ? path : repositoryFolder(located.commonDir))) || path,
    path,
    branch: claim.branch ?? located?.branch ?? null,
  };
}

/**
 * A remote address in one form for all ways to write it: `host/path` without scheme, credentials, query, default port,
 * `.git` and trailing slashes, host in lower case; a path on the machine stays a path. Null where nothing is left.
 */
export function normalRemote(remote: string): string | null {
  const text = remote.trim();
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (url !== null) return named(hostOf(url), url.pathname);
  // scp's form: [user@]host:path, where the host is no Windows drive.
  const scp = /^(?:[^@/\\]*@)?(\[[^\]]+\]|[^@:/\\]{2,}):(?!\/\/)(.*)$/s.exec(text);
  if (scp) return named((scp[1] ?? '').toLowerCase(), scp[2] ?? '');
  return named('', text);
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = {
  'ssh:': '22',
  'git+ssh:': '22',
  'git:': '9418',
  'http:': '80',
  'https:': '443',
};

function hostOf(url: URL): string {
  const port = url.port === '' || url.port === DEFAULT_PORTS[url.protocol] ? '' : `:${url.port}`;
  return `${url.hostname.toLowerCase()}${port}`;
}

function named(host: string, path: string): string | null {
  const plain = path
    .replace(/[?#].*$/s, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
    .replace(/\/+$/, '');
  if (host === '') return plain === '' ? null : plain;
  const inside = plain.replace(/^\/+/, '');
  return inside === '' ? host : `${host}/${inside}`;
}

/** The folder that a person knows a repository by: the one that holds `.git`, else the shared folder itself. */
function repositoryFolder(commonDir: string): string {
  return commonDir.replace(/[/\\]\.git[/\\]*$/, '');
}

function lastSegment(path: string): string {
  const segment = path.split(/[/\\]/).filter(Boolean).at(-1) ?? '';
  return segment.replace(/\.git$/, '') || segment;
}
