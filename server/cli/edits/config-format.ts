import type { Splice } from './splice.ts';

/** One value that is to stand in a configuration file. */
export interface Entry {
  /** Names of the tables from the root to the value, for example `['env', 'ANTHROPIC_BASE_URL']`. */
  readonly path: readonly string[];
  readonly value: string;
  /**
   * True: `value` is one line (`Name: value`) of a text of lines. It stands in for the line of its name or behind the
   * others, which stay. JSON alone.
   */
  readonly asLine?: boolean;
}

/** One value of ours that is to be taken out again. */
export interface OwnEntry extends Entry {
  /**
   * What stood there before, as written in the file; null: nothing. Of a line: the line itself, empty where there was
   * none; null where there was no text of lines either.
   */
  readonly before: string | null;
}

/** What was found at a path: the value if it is a string, and the value as written in the file. */
export interface Found {
  readonly value: string | null;
  readonly written: string;
}

/**
 * How one kind of configuration file is read and edited. All functions are pure and work on the text without a
 * byte order mark. Edits are splices: nothing but the named values (and the commas and lines that they need)
 * changes, and each edit is checked by reading the result again.
 */
export interface ConfigFormat {
  /** @throws UnreadableConfig where the text is not of this format. */
  check(text: string): void;
  /** The value at a path, or null. The last one counts where a name is there twice. Text must have passed `check`. */
  find(text: string, path: readonly string[]): Found | null;
  /** Splices that put all entries in. @throws UnreadableConfig where there is no place for one. */
  set(text: string, entries: readonly Entry[]): Splice[];
  /**
   * Splices that take out the entries that still hold the given value. Tables named in `emptied` go too when
   * nothing is left in them.
   */
  takeOut(text: string, entries: readonly OwnEntry[], emptied: readonly (readonly string[])[]): Splice[];
  /** Paths of the tables that `set` would have to create for these entries. */
  missingTables(text: string, entries: readonly Entry[]): (readonly string[])[];
}

/** The configuration file cannot be edited: where and why. Line and column count from 1. */
export class UnreadableConfig extends Error {
  readonly line: number;
  readonly column: number;

  constructor(message: string, position: { line: number; column: number }) {
    super(message);
    this.name = 'UnreadableConfig';
    this.line = position.line;
    this.column = position.column;
  }
}
