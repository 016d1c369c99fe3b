/** Characters of a path that is one: no system takes longer ones (Windows: 32,767). */
const LONGEST_PATH = 32_767;

/**
 * A path in the one form that files are compared in: absolute, `/` between the names, no `.` and `..`. Null where it
 * cannot be told: empty, longer than any path, in a home folder, or relative without a folder to start from.
 * @param folder absolute; what a relative path starts from
 */
export function normalPath(path: string, folder: string | null): string | null {
  if (path === '' || path.length > LONGEST_PATH || path.startsWith('~') || path.includes('\0')) return null;
  const own = rootOf(path);
  const from = own ?? (folder === null ? null : rootOf(folder));
  if (from === null) return null;
  const isWindows = from.root !== '/';
  const names = (own ?? from).rest.split('/');
  if (own === null) names.push(...(isWindows ? path.replaceAll('\\', '/') : path).split('/'));
  const kept: string[] = [];
  for (const name of names) {
    if (name === '..') kept.pop();
    else if (name !== '' && name !== '.') kept.push(name);
  }
  return from.root + kept.join('/');
}

const NORMAL_ROOT = /^(?:\/\/[^/]+\/[^/]+\/|[A-Z]:\/|\/)/;

/** The folders that a path in normal form lies in, nearest first, its root last. */
export function foldersAbove(path: string): readonly string[] {
  const found: string[] = [];
  const [root = '/'] = NORMAL_ROOT.exec(path) ?? [];
  for (let at = path.lastIndexOf('/'); at >= root.length; at = path.lastIndexOf('/', at - 1))
    found.push(path.slice(0, at));
  return path === root ? found : [...found, root];
}

/** Where an absolute path begins (`/`, `C:/`, `//server/share/`) and what follows; null for a relative one. */
function rootOf(path: string): { readonly root: string; readonly rest: string } | null {
  if (/^[A-Za-z]:[\\/]/.test(path)) {
    return { root: `${path.charAt(0).toUpperCase()}:/`, rest: path.slice(3).replaceAll('\\', '/') };
  }
  if (path.startsWith('\\\\')) {
    const [server = '', share = '', ...rest] = path.slice(2).replaceAll('\\', '/').split('/');
    return { root: `//${server}/${share}/`, rest: rest.join('/') };
  }
  return path.startsWith('/') ? { root: '/', rest: path.slice(1) } : null;
}
