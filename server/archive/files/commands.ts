import type { NamedTouch, TouchKind } from './touch.ts';

/** What a command without its redirections does to files, as far as its words alone tell. */
export interface CommandEffect {
  readonly touches: readonly NamedTouch[];
  /** Files that its output shows, if that goes where the agent reads it. */
  readonly shows: readonly string[];
}

type Words = readonly (string | null)[];
type Effect = (args: Words) => CommandEffect;

const NOTHING: CommandEffect = { touches: [], shows: [] };

/** Commands that show files as they are; options that take a value of their own. */
const VIEWERS: Readonly<Record<string, readonly string[]>> = {
  cat: [],
  bat: ['-r', '--line-range', '-l', '--language', '--style', '--theme'],
  batcat: ['-r', '--line-range', '-l', '--language', '--style', '--theme'],
  nl: ['-b', '-d', '-f', '-h', '-i', '-l', '-n', '-s', '-v', '-w'],
  less: [],
  more: [],
  head: ['-n', '-c', '--lines', '--bytes'],
  tail: ['-n', '-c', '--lines', '--bytes'],
};

const EFFECTS: Readonly<Record<string, Effect>> = {
  ...Object.fromEntries(
    Object.entries(VIEWERS).map(([name, valued]): [string, Effect] => [
      name,
      (args) => ({ touches: [], shows: known(operands(args, valued)) }),
    ]),
  ),
  sed,
  perl,
  tee: (args) => changes(operands(args, []), hasFlag(args, 'a', '--append') ? 'edit' : 'write'),
  truncate: (args) => changes(operands(args, ['-s', '--size', '-r', '--reference']), 'edit'),
  rm: (args) => changes(operands(args, []), 'delete', hasFlag(args, 'rR', '--recursive')),
  unlink: (args) => changes(operands(args, []), 'delete'),
  rmdir: (args) => changes(operands(args, []), 'delete'),
  mv: (args) => moved(args, 'move'),
  cp: (args) => moved(args, 'write'),
  git,
};

/** What a command does, by its name and the words behind it; a word that only the shell knows is null. */
export function effectOf(name: string, args: Words): CommandEffect {
  const command = name.slice(name.lastIndexOf('/') + 1);
  return Object.hasOwn(EFFECTS, command) ? (EFFECTS[command]?.(args) ?? NOTHING) : NOTHING;
}

/** True for a command that passes on what it is given, in whole or from a line to a line, and names no file itself. */
export function passesThrough(name: string, args: Words): boolean {
  const { touches, shows } = effectOf(name, args);
  const isViewer = Object.hasOwn(VIEWERS, name) || (name === 'sed' && hasFlag(args, 'n', '--quiet'));
  return isViewer && touches.length === 0 && shows.length === 0 && !args.includes(null);
}

function sed(args: Words): CommandEffect {
  const inPlace = args.findIndex((word) => word !== null && /^(?:-[nErsuz]*i|--in-place)/.test(word));
  // BSD's sed takes the ending of the copy as a word of its own; it is empty as a rule.
  const own = inPlace !== -1 && args[inPlace + 1] === '' ? args.filter((_, at) => at !== inPlace + 1) : args;
  const given = operands(own, ['-e', '-f', '--expression', '--file', '-l']);
  const hasScript = own.some((word) => word !== null && /^(?:-[nErsuz]*[ef]|--expression|--file)/.test(word));
  const files = hasScript ? given : given.slice(1);
  if (inPlace !== -1) return changes(files, 'edit');
  return hasFlag(own, 'n', '--quiet') ? { touches: [], shows: known(files) } : NOTHING;
}

function perl(args: Words): CommandEffect {
  const flags = args.filter((word) => word?.startsWith('-'));
  if (!flags.some((word) => word !== null && /^-[a-zA-Z0-9]*i/.test(word))) return NOTHING;
  const at = args.findIndex((word) => word !== null && /^-[a-zA-Z0-9]*[eE]$/.test(word));
  if (at === -1) return NOTHING;
  return changes(operands([...args.slice(0, at), ...args.slice(at + 2)], []), 'edit');
}

/** The two ends of `mv` and `cp`. A target may be a folder that is there already: then the file in it is named too. */
function moved(args: Words, kind: 'move' | 'write'): CommandEffect {
  const all = operands(args, ['-t', '--target-directory', '-S', '--suffix']);
  const folder = optionValue(args, '-t', '--target-directory');
  if (folder === null) return NOTHING;
  if (folder === undefined && all.length < 2) return NOTHING;
  const target = folder ?? all.at(-1) ?? null;
  const sources = folder === undefined ? all.slice(0, -1) : all;
  const recursive = kind === 'write' && hasFlag(args, 'rRa', '--recursive', '--archive');
  const touches: NamedTouch[] = [];
  if (kind === 'move') touches.push(...changes(sources, 'move', true).touches);
  if (target !== null) {
    const isFolder = folder !== undefined || sources.length > 1 || target.endsWith('/');
    if (!isFolder) touches.push({ name: target, kind, tree: recursive });
    for (const source of known(sources)) {
      const inside = source.replace(/\/+$/, '').split('/').at(-1) ?? '';
      if (inside !== '' && inside !== '.' && inside !== '..')
        touches.push({ name: `${target.replace(/\/+$/, '')}/${inside}`, kind, tree: recursive });
    }
  }
  return { touches, shows: [] };
}

function git(args: Words): CommandEffect {
  let at = 0;
  let folder = '';
  for (; args[at]?.startsWith('-'); at += 1) {
    const option = args[at];
    if (option === '-C') {
      const given = args[at + 1];
      if (given === undefined || given === null || folder !== '') return NOTHING;
      folder = given;
      at += 1;
    } else if (option === '-c') at += 1;
    else if (option !== '--no-pager' && option !== '-P') return NOTHING;
  }
  const name = args[at];
  const { touches } = gitEffect(name ?? '', args.slice(at + 1));
  if (folder === '') return { touches, shows: [] };
  return { touches: touches.map((touch) => ({ ...touch, name: inside(folder, touch.name) })), shows: [] };
}

function gitEffect(name: string, args: Words): CommandEffect {
  if (name === 'mv') return moved(args, 'move');
  if (name === 'rm') return args.includes('--cached') ? NOTHING : changes(operands(args, []), 'delete', true);
  if (name === 'restore') {
    const staged = hasFlag(args, 'S', '--staged') && !hasFlag(args, 'W', '--worktree');
    return staged ? NOTHING : changes(operands(args, ['-s', '--source']), 'write', true);
  }
  if (name !== 'checkout') return NOTHING;
  // Without `--` a word may be a branch; `.` is none.
  const from = args.indexOf('--');
  if (from === -1) {
    return changes(
      args.filter((word) => word === '.'),
      'write',
      true,
    );
  }
  return changes(args.slice(from + 1), 'write', true);
}

function inside(folder: string, name: string): string {
  return /^(?:[/~]|[A-Za-z]:)/.test(name) ? name : `${folder.replace(/\/+$/, '')}/${name}`;
}

function changes(names: Words, kind: TouchKind, tree = false): CommandEffect {
  return { touches: known(names).map((name) => ({ name, kind, tree })), shows: [] };
}

function known(words: Words): readonly string[] {
  return words.filter((word): word is string => word !== null && word !== '' && word !== '-');
}

/** The words that are no options; `valued` are the options whose value is a word of its own. All behind `--` are. */
function operands(args: Words, valued: readonly string[]): Words {
  const found: (string | null)[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? null;
    if (word === '--') return [...found, ...args.slice(at + 1)];
    if (word === null || word === '-' || !word.startsWith('-')) found.push(word);
    else if (valued.includes(word)) at += 1;
  }
  return found;
}

/** The value of an option: undefined without it, null where only the shell knows it. */
function optionValue(args: Words, short: string, long: string): string | null | undefined {
  for (const [at, word] of args.entries()) {
    if (word === '--') return undefined;
    if (word === short || word === long) return args[at + 1] ?? null;
    if (word?.startsWith(`${long}=`)) return word.slice(long.length + 1);
  }
  return undefined;
}

/** True if one of the letters stands in a cluster of short options, or one of the long options does. */
function hasFlag(args: Words, letters: string, ...long: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? undefined : end).some((word) => {
    if (word === null || !word.startsWith('-')) return false;
    if (word.startsWith('--')) return long.includes(word.split('=', 1)[0] ?? '');
    return [...letters].some((letter) => word.slice(1).includes(letter));
  });
}
