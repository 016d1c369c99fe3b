import { type CommandEffect, effectOf, passesThrough } from './commands.ts';
import { patchTouches } from './patch.ts';
import { normalPath } from './paths.ts';
import { type Command, type List, type Pipeline, type SimpleCommand, shellLists } from './shell-commands.ts';
import { MOST_TOKENS, type Redirection } from './shell-tokens.ts';
import type { FileTouch, NamedTouch } from './touch.ts';

/** Where commands run; null once a `cd` led somewhere that is not told. */
interface Place {
  folder: string | null;
  /** True once the script ended itself. */
  ended: boolean;
}

const MOST_SHELLS = 3;

/**
 * What a command line that succeeded did to files, as far as it is plain to see: redirections, `rm`, `mv`, `cp`, `tee`,
 * `sed -i`, `git mv|rm|restore|checkout --`, `apply_patch`, and reading by `cat`, `head`, `tail`, `sed -n` and their like
 * where the output is what the agent gets. What runs under a condition, in a loop or behind `||`, and names that only the
 * shell knows, count as nothing.
 * @param folder absolute working folder, null where it is not known: then relative names count as nothing
 */
export function shellTouches(script: string, folder: string | null): readonly FileTouch[] {
  const touches: FileTouch[] = [];
  runLists(shellLists(script), { folder, ended: false }, touches, 0);
  return touches;
}

/** The same for a command given as its words. */
export function commandTouches(words: readonly string[], folder: string | null): readonly FileTouch[] {
  if (words.length > MOST_TOKENS) return [];
  const touches: FileTouch[] = [];
  const command: SimpleCommand = { type: 'simple', words, redirections: [] };
  runPipeline({ negated: false, commands: [command] }, { folder, ended: false }, touches, 0);
  return touches;
}

/** Touches with their names in the form that files are compared in; without those that cannot be told. */
export function resolved(touches: readonly NamedTouch[], folder: string | null): readonly FileTouch[] {
  return touches.flatMap(({ name, kind, tree = false }) => {
    const path = normalPath(name, folder);
    return path === null ? [] : [{ path, kind, tree }];
  });
}

function runLists(lists: readonly List[], place: Place, into: FileTouch[], shells: number): void {
  for (const list of lists) {
    if (place.ended) return;
    for (const pipeline of certain(list)) runPipeline(pipeline, place, into, shells);
    if (list.ops.includes('||') && list.pipelines.some(movesAway)) place.folder = null;
  }
}

/** The pipelines of a list that certainly ran: with `||` only what stands before a lone `|| true`. */
function certain({ pipelines, ops }: List): readonly Pipeline[] {
  if (!ops.includes('||')) return pipelines;
  const [first, second] = pipelines;
  const [fallback] = second?.commands ?? [];
  const isHarmless = fallback?.type === 'simple' && /^(?:true|:)$/.test(fallback.words[0] ?? '');
  return first !== undefined && pipelines.length === 2 && isHarmless ? [first] : [];
}

function movesAway({ commands }: Pipeline): boolean {
  const [first] = commands;
  return (
    commands.length === 1 && first?.type === 'simple' && /^(?:cd|pushd|popd)$/.test(first.words[0] ?? '')
  );
}

function runPipeline(pipeline: Pipeline, place: Place, into: FileTouch[], shells: number): void {
  const { commands, negated } = pipeline;
  if (negated) return;
  const isAlone = commands.length === 1;
  const shown = commands.slice(1).every(isPassage);
  for (const [at, command] of commands.entries()) {
    // The parts of a pipeline run in shells of their own.
    const own = isAlone ? place : { ...place };
    runCommand(command, own, { into, shells, shown: at === 0 && shown });
  }
}

interface Run {
  readonly into: FileTouch[];
  readonly shells: number;
  /** True if the agent gets what the command writes to its output. */
  readonly shown: boolean;
}

function runCommand(command: Command, place: Place, run: Run): void {
  const { folder } = place;
  if (command.type === 'group') {
    const inner = command.subshell ? { ...place } : place;
    const before = run.into.length;
    runLists(command.lists, inner, run.into, run.shells);
    if (command.subshell) inner.ended = false;
    if (!run.shown || takesOutput(command.redirections)) dropReads(run.into, before);
  } else {
    runSimple(command, place, run);
  }
  add(run.into, resolved(command.redirections.flatMap(written), folder));
}

function runSimple(command: SimpleCommand, place: Place, run: Run): void {
  const words = withoutPrefixes(command.words);
  const [name, ...args] = words;
  if (name === undefined || name === null) return;
  const shown = run.shown && !takesOutput(command.redirections);
  const script = scriptOf(name, args);
  if (/^(?:cd|pushd|popd)$/.test(name)) place.folder = folderAfter(name, args);
  else if (name === 'exit' || name === 'return') place.ended = true;
  else if (name === 'apply_patch' || name === 'applypatch') {
    const patch = command.redirections.find((one) => one.op === '<<')?.target ?? args[0] ?? '';
    add(run.into, resolved(patchTouches(patch), place.folder));
  } else if (script !== null) {
    if (run.shells >= MOST_SHELLS) return;
    const before = run.into.length;
    runLists(shellLists(script), { ...place }, run.into, run.shells + 1);
    if (!shown) dropReads(run.into, before);
  } else {
    const effect = effectOf(name, args);
    add(run.into, resolved(effect.touches, place.folder));
    if (shown) add(run.into, resolved(readsOf(name, args, effect, command.redirections), place.folder));
  }
}

function readsOf(
  name: string,
  args: readonly (string | null)[],
  effect: CommandEffect,
  redirections: readonly Redirection[],
): readonly NamedTouch[] {
  const input = redirections.find((one) => one.op === '<' && (one.fd ?? 0) === 0)?.target ?? null;
  const names = input !== null && passesThrough(name, args) ? [input] : effect.shows;
  return names.map((one) => ({ name: one, kind: 'read' }));
}

/** Where a `cd` leads: an absolute folder that is named is plain to see, all else is not. */
function folderAfter(name: string, args: readonly (string | null)[]): string | null {
  const [target, more] = args[0] === '--' ? args.slice(1) : args;
  if (name !== 'cd' || more !== undefined || target === undefined || target === null) return null;
  return normalPath(target, null);
}

/** The script that a shell is started with by `-c`; null for any other command. */
function scriptOf(name: string, args: readonly (string | null)[]): string | null {
  if (!/(?:^|\/)(?:ba|z|da|k)?sh$/.test(name)) return null;
  const at = args.findIndex((word) => word !== null && /^-[a-z]*c$/.test(word));
  const before = args.slice(0, Math.max(0, at));
  return at === -1 || before.some((word) => !word?.startsWith('-')) ? null : (args[at + 1] ?? null);
}

/** The words of the command that runs in the end: without `sudo`, `env A=b`, `time`, `nohup`, `timeout 9` and their like. */
function withoutPrefixes(words: readonly (string | null)[]): readonly (string | null)[] {
  let at = 0;
  for (;;) {
    const word = words[at];
    if (word === 'timeout' && /^\d/.test(words[at + 1] ?? '')) at += 2;
    else if (word === 'env') {
      at += 1;
      while (/^[A-Za-z_]\w*=/.test(words[at] ?? '')) at += 1;
    } else if (word != null && /^(?:sudo|command|builtin|time|nohup|exec)$/.test(word)) at += 1;
    else return words.slice(at);
  }
}

/** True for the later part of a pipeline that only passes on. */
function isPassage(command: Command): boolean {
  if (command.type !== 'simple' || takesOutput(command.redirections)) return false;
  const [name, ...args] = withoutPrefixes(command.words);
  return name != null && passesThrough(name, args);
}

function takesOutput(redirections: readonly Redirection[]): boolean {
  return redirections.some(({ op, fd }) => /^(?:>|>>|>\||&>|&>>)$/.test(op) && (fd ?? 1) === 1);
}

/** The file that a redirection writes. Devices are none. */
function written({ op, target }: Redirection): readonly NamedTouch[] {
  if (target === null || target === '' || target.startsWith('/dev/')) return [];
  if (op === '>' || op === '>|' || op === '&>') return [{ name: target, kind: 'write' }];
  if (op === '>&' && !/^(?:\d+-?|-)$/.test(target)) return [{ name: target, kind: 'write' }];
  return op === '>>' || op === '&>>' ? [{ name: target, kind: 'edit' }] : [];
}

function dropReads(touches: FileTouch[], from: number): void {
  const kept = touches.splice(from).filter((touch) => touch.kind !== 'read');
  add(touches, kept);
}

/** One by one: as the arguments of one call, very many would be more than a call takes. */
function add(touches: FileTouch[], more: readonly FileTouch[]): void {
  for (const touch of more) touches.push(touch);
}
