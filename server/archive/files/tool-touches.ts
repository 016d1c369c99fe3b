import { patchTouches } from './patch.ts';
import { commandTouches, resolved, shellTouches } from './shell-touches.ts';
import type { FileTouch, NamedTouch, TouchKind } from './touch.ts';

/** A tool call and the result that it got. */
export interface AnsweredCall {
  readonly tool: string;
  /** A namespace says that the tool is another program's: what that does is not known. */
  readonly namespace: string | null;
  /** The input as JSON text, or as plain text where the tool takes that. */
  readonly input: string;
  /** The path that the call names, as it named it; null: none. */
  readonly path: string | null;
  /** The agent marked the result as an error. */
  readonly isError: boolean;
  /** The beginning of the result's text; 1,000 characters are enough. */
  readonly result: string;
  /** The working folder, absolute; null where it is not known. */
  readonly folder: string | null;
}

/** Tools of Claude Code, Codex, OpenCode and Pi that name one file, by what they do to it. */
const FILE_TOOLS: ReadonlyMap<string, TouchKind> = new Map([
  ['read', 'read'],
  ['notebookread', 'read'],
  ['view', 'read'],
  ['view_image', 'read'],
  ['write', 'write'],
  ['create', 'write'],
  ['edit', 'edit'],
  ['multiedit', 'edit'],
  ['notebookedit', 'edit'],
]);
const EDITORS: ReadonlySet<string> = new Set(['str_replace_based_edit_tool', 'str_replace_editor']);
const SHELLS: ReadonlySet<string> = new Set([
  ...['bash', 'shell', 'exec_command', 'shell_command', 'local_shell', 'container.exec'],
]);
const PATCHES: ReadonlySet<string> = new Set(['apply_patch', 'patch', 'applypatch']);
/** Codex's tool that runs JavaScript which calls the other tools. */
const CODE = 'exec';

/** True for tools whose input must be read to know what they did; for the others name and path are enough. */
export function needsInput(tool: string): boolean {
  const name = tool.toLowerCase();
  return SHELLS.has(name) || PATCHES.has(name) || EDITORS.has(name) || name === CODE;
}

/** True for tools that may touch files at all. */
export function mayTouch(tool: string): boolean {
  return FILE_TOOLS.has(tool.toLowerCase()) || needsInput(tool);
}

/** The files that a call read and changed, each once for what was done to it, in order. A failed call did nothing. */
export function touchesOf(call: AnsweredCall): readonly FileTouch[] {
  if (call.namespace !== null || hasFailed(call)) return [];
  const name = call.tool.toLowerCase();
  const kind = FILE_TOOLS.get(name);
  if (kind !== undefined) return once(resolved(named(call.path, kind), call.folder));
  if (EDITORS.has(name)) return once(resolved(named(call.path, editorKind(call.input)), call.folder));
  if (PATCHES.has(name)) return once(resolved(patchTouches(patchOf(call.input)), call.folder));
  if (SHELLS.has(name)) return once(shellCallTouches(jsonOf(call.input), call.folder));
  return name === CODE ? once(codeTouches(call.input, call.folder)) : [];
}

/** How the agents tell that a command failed where they do not mark its result. */
function hasFailed({ isError, result }: AnsweredCall): boolean {
  if (isError) return true;
  const start = result.slice(0, 1000);
  const code =
    /^(?:Process exited with code|Exit code:) (-?\d+)\s*$/m.exec(start) ??
    (start.startsWith('{') ? /"exit_code":\s*(-?\d+)/.exec(start) : null);
  return (code !== null && code[1] !== '0') || /^aborted\b/.test(start);
}

function named(path: string | null, kind: TouchKind): readonly NamedTouch[] {
  return path === null ? [] : [{ name: path, kind }];
}

function editorKind(input: string): TouchKind {
  const command = field(jsonOf(input), 'command');
  return command === 'view' ? 'read' : command === 'create' ? 'write' : 'edit';
}

function patchOf(input: string): string {
  const json = jsonOf(input);
  if (json === null) return input;
  for (const key of ['input', 'patch', 'patchText']) {
    const text = field(json, key);
    if (typeof text === 'string') return text;
  }
  return '';
}

function shellCallTouches(input: unknown, folder: string | null): readonly FileTouch[] {
  const command = field(input, 'command') ?? field(input, 'cmd');
  const given = ['workdir', 'working_directory', 'cwd'].map((key) => field(input, key)).find(isText);
  const [from] = given === undefined ? [{ path: folder }] : resolved([{ name: given, kind: 'read' }], folder);
  const own = from?.path ?? null;
  if (isText(command)) return shellTouches(command, own);
  return Array.isArray(command) && command.every(isText) ? commandTouches(command, own) : [];
}

const CODE_CALL =
  /\b(exec_command|apply_patch)\(\s*(?:\{\s*(?:"?cmd"?)\s*:\s*)?("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\$]|\\.)*`)\s*(?:,\s*"?workdir"?\s*:\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'))?/g;

/** Calls in JavaScript whose command or patch is written out as a text. Code with a condition or a loop is not plain. */
function codeTouches(code: string, folder: string | null): readonly FileTouch[] {
  const bare = code.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/gs, '""');
  if (/\b(?:if|for|while|switch|try|function|catch)\b|=>|\?/.test(bare)) return [];
  return [...code.matchAll(CODE_CALL)].flatMap(([, tool, literal = '', workdir]) => {
    const text = literalOf(literal);
    if (text === null) return [];
    const from = workdir === undefined ? undefined : literalOf(workdir);
    if (from === null) return [];
    if (tool === 'apply_patch') return resolved(patchTouches(text), folder);
    return shellCallTouches({ cmd: text, ...(from === undefined ? {} : { workdir: from }) }, folder);
  });
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\n': '' };

/** The value of a text in JavaScript; null where it has an escape that is not one of the usual ones. */
function literalOf(literal: string): string | null {
  const inside = literal.slice(1, -1);
  if (/(?:^|[^\\])(?:\\\\)*\\[ux0bfv1-9]/.test(inside)) return null;
  return inside.replace(/\\([\s\S])/g, (_, char: string) => ESCAPES[char] ?? char);
}

/** Files of one call at most that are kept as touched. */
const MOST_TOUCHES = 5000;

function once(touches: readonly FileTouch[]): readonly FileTouch[] {
  const found = new Map(touches.map((touch) => [`${touch.kind} ${touch.tree} ${touch.path}`, touch]));
  return [...found.values()].slice(0, MOST_TOUCHES);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function field(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
