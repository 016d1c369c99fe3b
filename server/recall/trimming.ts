import type { DocId } from '../conversation/index.ts';
import { firstPoints } from './index-lines.ts';
import { firstWithin, lastWithin } from './text-ends.ts';

/** Version of the rules by which outputs are trimmed. A thread keeps the one that it began with. */
export const TRIMMING_RULES = 1;

/** Above this many estimated tokens an output is trimmed. */
export const TRIM_ABOVE_TOKENS = 6_000;
/** To this many at each end. */
const END_TOKENS = 2_000;
/** Of the lines between that look like errors: how many, how long, and how many tokens together. */
const ERROR_LINES = 40;
const ERROR_POINTS = 300;
const ERROR_TOKENS = 1_000;

/**
 * Tools whose results are outputs of commands, by the names that agents give them (e2e/clients/recorded): Claude Code's Bash,
 * OpenCode's and Pi's bash, Codex's exec_command with write_stdin and its older shells.
 */
const COMMAND_TOOLS: ReadonlySet<string> = new Set([
  ...[
    'Bash',
    'bash',
    'exec_command',
    'write_stdin',
    'shell',
    'shell_command',
    'local_shell',
    'container.exec',
  ],
]);

/** Whether a tool's results are outputs of commands, which alone are trimmed. */
export function isCommandTool(name: string): boolean {
  return COMMAND_TOOLS.has(name);
}

/** A line that somebody who reads an output looks for. */
const LOOKS_LIKE_ERROR =
  /\b(?:error|errors|failed|failure|failing|exception|panic|panicked|traceback|fatal|segfault|denied|undefined reference|cannot find|not found|assertion|expected|unexpected)\b|^\s*(?:✗|✕|×|not ok\b|E\s{2,})/i;
/** Lines are looked at up to here: what follows in a longer one says nothing about it. */
const LOOKED_AT = 400;

/**
 * What the model gets of a command's long output: its beginning and end, the lines between that look like errors, and
 * where the whole is. Null for an output that is not long. A pure function of the text and the estimate, so that the same
 * output is trimmed to the same bytes for ever; what it gives is itself never long.
 * @param estimate tokens of a text; it never falls as a text grows
 */
export function trimmed(text: string, docid: DocId, estimate: (text: string) => number): string | null {
  if (estimate(text) <= TRIM_ABOVE_TOKENS) return null;
  const first = firstWithin(text, END_TOKENS, estimate);
  const last = lastWithin(text, END_TOKENS, estimate);
  if (first.length + last.length >= text.length) return null;
  const middle = text.slice(first.length, text.length - last.length);
  const found = errorLines(middle, estimate);
  const left = Math.max(1, estimate(middle));
  const said = `[… about ${left} tokens are left out here. The whole output, word for word: context-mode-search {"docid": "${docid}"}`;
  const note = found.shown.length === 0 ? `${said} …]` : `${said}. Lines of it that look like errors:`;
  const more = found.more > 0 ? `[and ${found.more} more such lines …]` : '[…]';
  const errors = found.shown.length === 0 ? [] : [...found.shown, more];
  return [first, note, ...errors, last].join('\n');
}

function errorLines(middle: string, estimate: (text: string) => number) {
  const shown: string[] = [];
  let more = 0;
  let tokens = 0;
  for (let at = 0; at < middle.length; ) {
    const feed = middle.indexOf('\n', at);
    const end = feed < 0 ? middle.length : feed;
    const line = middle.slice(at, Math.min(end, at + LOOKED_AT));
    at = end + 1;
    if (!LOOKS_LIKE_ERROR.test(line)) continue;
    const cut = firstPoints(line.trimEnd(), ERROR_POINTS);
    const cost = estimate(`${cut}\n`);
    if (shown.length >= ERROR_LINES || tokens + cost > ERROR_TOKENS) more += 1;
    else {
      shown.push(cut);
      tokens += cost;
    }
  }
  return { shown, more };
}
