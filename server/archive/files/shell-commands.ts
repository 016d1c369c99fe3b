import type { Redirection, Token, Word } from './shell-tokens.ts';
import { shellTokens } from './shell-tokens.ts';

/** A command with its words and redirections, in the order in which they were written. */
export interface SimpleCommand {
  readonly type: 'simple';
  /** Values of the words; null: only the shell knows. Assignments before the command are left out. */
  readonly words: readonly (string | null)[];
  readonly redirections: readonly Redirection[];
}

/** Commands in parentheses (`subshell`) or braces, with the redirections behind them. */
export interface GroupCommand {
  readonly type: 'group';
  readonly subshell: boolean;
  readonly lists: readonly List[];
  readonly redirections: readonly Redirection[];
}

/** A command by itself, or several between brackets. */
export type Command = SimpleCommand | GroupCommand;

/** Commands joined by `|`; `negated` by a `!` before them. */
export interface Pipeline {
  readonly negated: boolean;
  readonly commands: readonly Command[];
}

/** Pipelines joined by `&&` and `||`: `ops[n]` stands before `pipelines[n + 1]`. */
export interface List {
  readonly pipelines: readonly Pipeline[];
  readonly ops: readonly ('&&' | '||')[];
}

/** Words that begin what runs under a condition or again and again, or that have a grammar of their own. */
const RESERVED = new Set([
  ...['if', 'then', 'elif', 'else', 'fi', 'for', 'while', 'until', 'do', 'done', 'case', 'esac', 'select'],
  ...['function', 'coproc', '[[', ']]', '}'],
]);
const MOST_NESTED = 50;

/** Thrown where what follows is not plain to see. */
class NotPlain extends Error {}

/**
 * The commands of a line, as far as they are plain to see: from a condition, a loop, a function or anything else that has
 * a grammar of its own on, nothing is answered; nothing at all of a line that cannot be read.
 */
export function shellLists(script: string): readonly List[] {
  const tokens = shellTokens(script);
  if (tokens === null) return [];
  const reader = new Reader(tokens);
  const lists: List[] = [];
  try {
    for (let list = reader.list(); list !== null; list = reader.list()) lists.push(list);
    return reader.atEnd() ? lists : [];
  } catch (thrown) {
    if (thrown instanceof NotPlain) return lists;
    throw thrown;
  }
}

class Reader {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  atEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  /** The next list; null at the end or before a closing parenthesis or brace. */
  list(): List | null {
    while (this.#isOperator(';', '&', '\n')) this.#at += 1;
    const token = this.#tokens[this.#at];
    if (token === undefined || this.#isOperator(')') || isBare(token, '}')) return null;
    const pipelines = [this.#pipeline()];
    const ops: ('&&' | '||')[] = [];
    for (let op = this.#and(); op !== null; op = this.#and()) {
      this.#skipLines();
      ops.push(op);
      pipelines.push(this.#pipeline());
    }
    return { pipelines, ops };
  }

  #and(): '&&' | '||' | null {
    const token = this.#tokens[this.#at];
    if (token?.type !== 'operator' || (token.op !== '&&' && token.op !== '||')) return null;
    this.#at += 1;
    return token.op;
  }

  #pipeline(): Pipeline {
    const first = this.#tokens[this.#at];
    const negated = first !== undefined && isBare(first, '!');
    if (negated) this.#at += 1;
    const commands = [this.#command()];
    while (this.#isOperator('|', '|&')) {
      this.#at += 1;
      this.#skipLines();
      commands.push(this.#command());
    }
    return { negated, commands };
  }

  #command(): Command {
    const token = this.#tokens[this.#at];
    if (token === undefined) throw new NotPlain();
    if (this.#isOperator('(')) return this.#group(true);
    if (isBare(token, '{')) return this.#group(false);
    if (token.type === 'operator') throw new NotPlain();
    return this.#simple();
  }

  #group(subshell: boolean): GroupCommand {
    this.#at += 1;
    // `((` begins arithmetic.
    if (subshell && this.#isOperator('(')) throw new NotPlain();
    this.#depth += 1;
    if (this.#depth > MOST_NESTED) throw new NotPlain();
    const lists: List[] = [];
    for (let list = this.list(); list !== null; list = this.list()) lists.push(list);
    const end = this.#tokens[this.#at];
    if (end === undefined || !(subshell ? this.#isOperator(')') : isBare(end, '}'))) throw new NotPlain();
    this.#at += 1;
    this.#depth -= 1;
    const redirections: Redirection[] = [];
    for (let next = this.#tokens[this.#at]; next?.type === 'redirection'; next = this.#tokens[this.#at]) {
      redirections.push(next);
      this.#at += 1;
    }
    return { type: 'group', subshell, lists, redirections };
  }

  #simple(): SimpleCommand {
    const words: (string | null)[] = [];
    const redirections: Redirection[] = [];
    for (let token = this.#tokens[this.#at]; token !== undefined; token = this.#tokens[this.#at]) {
      if (token.type === 'operator') {
        // A word before a parenthesis names a function.
        if (token.op === '(' || token.op === ';;') throw new NotPlain();
        break;
      }
      this.#at += 1;
      if (token.type === 'redirection') redirections.push(token);
      else if (words.length > 0) words.push(token.text);
      else if (isReserved(token)) throw new NotPlain();
      else if (!token.assigns) words.push(token.text);
    }
    return { type: 'simple', words, redirections };
  }

  #skipLines(): void {
    while (this.#isOperator('\n')) this.#at += 1;
  }

  #isOperator(...ops: readonly string[]): boolean {
    const token = this.#tokens[this.#at];
    return token?.type === 'operator' && ops.includes(token.op);
  }
}

function isBare(token: Token, text: string): boolean {
  return token.type === 'word' && token.bare && token.text === text;
}

function isReserved(word: Word): boolean {
  return word.bare && word.text !== null && RESERVED.has(word.text);
}
