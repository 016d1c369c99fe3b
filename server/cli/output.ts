import { CliFailure, EXIT, type ExitCode } from './failure.ts';
import type { World } from './world.ts';

/** Where a command's results go: lines for a person, or one JSON value for a script. */
export interface Output {
  readonly json: boolean;
  /** A line for a person; nothing in JSON mode. */
  line(text?: string): void;
  /** The result as a JSON value; nothing outside JSON mode. Called once. */
  result(value: Readonly<Record<string, unknown>>): void;
}

/** An output on the standard streams of a world. */
export function createOutput(world: World, json: boolean): Output {
  return {
    json,
    line(text = '') {
      if (!json) world.write(`${harmless(text)}\n`);
    },
    result(value) {
      if (json) world.write(`${JSON.stringify(value, null, 2)}\n`);
    },
  };
}

/**
 * A text without what a terminal obeys: control characters (escape sequences begin with one) and marks that turn the
 * order of letters. Titles, names and paths come from conversations and files, where anything may stand.
 */
function harmless(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

/** Tells of a fault, in words on standard error or as JSON on standard output. @returns the exit code. */
export function reportFault(world: World, json: boolean, thrown: unknown): ExitCode {
  const failure = asFailure(thrown);
  if (json) {
    const { exitCode, message, hint } = failure;
    world.write(`${JSON.stringify({ ok: false, exitCode, error: { message, hint } }, null, 2)}\n`);
  } else {
    world.complain(harmless(`${failure.message}\n${failure.hint}\n`));
  }
  return failure.exitCode;
}

/** Any thrown value as one that can be shown. */
export function asFailure(thrown: unknown): CliFailure {
  if (thrown instanceof CliFailure) return thrown;
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return new CliFailure(
    EXIT.fault,
    `Something went wrong: ${reason}`,
    'If it stays, report it with this text.',
    {
      cause: thrown,
    },
  );
}

/** A path as people write it: with `~` for the home folder. */
export function shownPath(world: World, path: string): string {
  const { home } = world;
  return /^[/\\]/.test(path.slice(home.length)) && path.startsWith(home)
    ? `~${path.slice(home.length)}`
    : path;
}
