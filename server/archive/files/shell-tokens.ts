/**
 * A shell command line cut into tokens, as POSIX shells and bash cut it. Nothing is expanded: a word whose value only the
 * shell knows (a variable, a substitution, a pattern) has no text.
 */

/** A word: its text with quotes taken off, null where the shell must work it out. */
export interface Word {
  readonly type: 'word';
  readonly text: string | null;
  /** True if it was written without any quote or escape, so that it may be a reserved word or an assignment. */
  readonly bare: boolean;
  /** True if it begins as an assignment does: a name and `=`, without quotes. */
  readonly assigns: boolean;
}

/** A redirection. */
export interface Redirection {
  readonly type: 'redirection';
  /** `<`, `>`, `>>`, `>|`, `<>`, `&>`, `&>>`, `>&`, `<&`, `<<` (also for `<<-`), `<<<`. */
  readonly op: string;
  /** The descriptor before it; null: none was written. */
  readonly fd: number | null;
  /** Where it leads; of a here-document its body. Null where the shell must work it out. */
  readonly target: string | null;
}

/** What stands between words. */
export interface Operator {
  readonly type: 'operator';
  readonly op: '&&' | '||' | ';' | '&' | '|' | '|&' | '(' | ')' | '\n' | ';;';
}

/** One part of a command line, as the shell tells them apart. */
export type Token = Word | Redirection | Operator;

/** Thrown where a line cannot be read: a quote or a substitution without an end, or more tokens than are read. */
class Unreadable extends Error {}

const OPERATORS = ['&&', '||', ';;', '|&', ';', '&', '|', '(', ')', '\n'] as const;
const REDIRECTION = /(?:&>>|&>|<<<|<<-|<<|<>|<&|>>|>\||>&|<(?!\()|>(?!\())/y;
const DIGITS = /\d+(?=[<>])/y;
const ASSIGNMENT = /[A-Za-z_]\w*\+?=/y;
/** What the shell replaces by names of files, or by several words, where it stands outside quotes. */
function isPattern(text: string): boolean {
  if (/[*?]/.test(text)) return true;
  const bracket = text.indexOf('[');
  if (bracket !== -1 && text.includes(']', bracket)) return true;
  // Piece by piece: an expression over the whole would begin anew at each brace and go to the end each time.
  return text.split('}').some((piece) => {
    const brace = piece.indexOf('{');
    return brace !== -1 && (piece.includes(',', brace) || piece.includes('..', brace));
  });
}

const MOST_NESTED = 100;
/** Tokens of a line that is read: nobody writes a longer one, and a program's need not be plain. */
export const MOST_TOKENS = 20_000;
const BLANK = /(?:[ \t\r]|\\\r?\n)+/y;

/** The tokens of a command line, null where it cannot be read. */
export function shellTokens(script: string): readonly Token[] | null {
  try {
    return new Tokenizer(script).tokens();
  } catch (thrown) {
    if (thrown instanceof Unreadable) return null;
    throw thrown;
  }
}

class Tokenizer {
  readonly #text: string;
  #at = 0;
  /** Here-documents whose bodies begin behind the next line end, and where their tokens stand. */
  readonly #pending: { readonly index: number; readonly end: string; readonly tabs: boolean }[] = [];
  readonly #tokens: Token[] = [];
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  tokens(): readonly Token[] {
    for (;;) {
      this.#take(BLANK);
      if (this.#at >= this.#text.length) break;
      if (this.#tokens.length >= MOST_TOKENS) throw new Unreadable();
      if (this.#text[this.#at] === '#') this.#skipComment();
      else this.#token();
    }
    if (this.#pending.length > 0) throw new Unreadable();
    return this.#tokens;
  }

  #token(): void {
    const start = this.#at;
    const fd = this.#take(DIGITS);
    const redirection = this.#take(REDIRECTION);
    if (redirection !== null) {
      this.#redirection(redirection, fd === null ? null : Number(fd));
      return;
    }
    this.#at = start;
    const op = OPERATORS.find((one) => this.#text.startsWith(one, this.#at));
    if (op === undefined) {
      this.#tokens.push(this.#word());
      return;
    }
    this.#at += op.length;
    this.#tokens.push({ type: 'operator', op });
    if (op === '\n') this.#readBodies();
  }

  #redirection(op: string, fd: number | null): void {
    this.#take(BLANK);
    const { text } = this.#word();
    const isHere = op === '<<' || op === '<<-';
    if (isHere) {
      if (text === null) throw new Unreadable();
      this.#pending.push({ index: this.#tokens.length, end: text, tabs: op === '<<-' });
    }
    this.#tokens.push({ type: 'redirection', op: isHere ? '<<' : op, fd, target: isHere ? null : text });
  }

  #readBodies(): void {
    for (const { index, end, tabs } of this.#pending.splice(0)) {
      const lines: string[] = [];
      for (;;) {
        if (this.#at >= this.#text.length) throw new Unreadable();
        const stop = this.#text.indexOf('\n', this.#at);
        const whole = this.#text.slice(this.#at, stop === -1 ? undefined : stop);
        const line = tabs ? whole.replace(/^\t+/, '') : whole;
        this.#at = stop === -1 ? this.#text.length : stop + 1;
        if (line.replace(/\r$/, '') === end) break;
        lines.push(line);
      }
      const token = this.#tokens[index];
      if (token?.type === 'redirection') this.#tokens[index] = { ...token, target: lines.join('\n') };
    }
  }

  #word(): Word {
    const start = this.#at;
    const assigns = this.#take(ASSIGNMENT) !== null;
    this.#at = start;
    let text = '';
    let plain = true;
    let bare = true;
    let unquoted = '';
    for (let char = this.#text[this.#at]; char !== undefined; char = this.#text[this.#at]) {
      const opensProcess = (char === '<' || char === '>') && this.#text[this.#at + 1] === '(';
      if (!opensProcess && /[\s;&|()<>]/.test(char)) break;
      if (char === "'") {
        bare = false;
        text += this.#quoted();
      } else if (char === '"') {
        bare = false;
        const inside = this.#doubleQuoted();
        if (inside === null) plain = false;
        else text += inside;
      } else if (char === '\\') {
        bare = false;
        text += this.#text[this.#at + 1] === '\n' ? '' : (this.#text[this.#at + 1] ?? '');
        this.#at += 2;
      } else if (char === '$' || char === '`' || opensProcess) {
        plain = false;
        this.#skipExpansion();
      } else {
        if (char === '~' && this.#at === start) plain = false;
        unquoted += char;
        text += char;
        this.#at += 1;
      }
    }
    if (this.#at === start) throw new Unreadable();
    if (isPattern(unquoted)) plain = false;
    return { type: 'word', text: plain ? text : null, bare, assigns };
  }

  #quoted(): string {
    const end = this.#text.indexOf("'", this.#at + 1);
    if (end === -1) throw new Unreadable();
    const inside = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    return inside;
  }

  /** What stands between double quotes; null where the shell must work it out. */
  #doubleQuoted(): string | null {
    let text = '';
    let plain = true;
    this.#at += 1;
    for (let char = this.#text[this.#at]; char !== '"'; char = this.#text[this.#at]) {
      if (char === undefined) throw new Unreadable();
      if (char === '\\') {
        const next = this.#text[this.#at + 1] ?? '';
        text += next === '\n' ? '' : '"\\$`'.includes(next) ? next : `\\${next}`;
        this.#at += 2;
      } else if (char === '$' || char === '`') {
        plain = false;
        this.#skipExpansion();
      } else {
        text += char;
        this.#at += 1;
      }
    }
    this.#at += 1;
    return plain ? text : null;
  }

  /** Goes behind a variable, a substitution or a text in `$'…'`. */
  #skipExpansion(): void {
    const char = this.#text[this.#at];
    const next = this.#text[this.#at + 1];
    if (char === '`') {
      this.#at += 1;
      this.#skipUntil('`');
    } else if (next === '(') {
      this.#at += 2;
      this.#skipUntil(')');
    } else if (next === '{') {
      this.#at += 2;
      this.#skipUntil('}');
    } else if (next === "'") {
      this.#at += 2;
      for (; this.#text[this.#at] !== "'"; this.#at += this.#text[this.#at] === '\\' ? 2 : 1)
        if (this.#at >= this.#text.length) throw new Unreadable();
      this.#at += 1;
    } else {
      this.#at += 1;
    }
  }

  /** Goes behind the character that ends a substitution, over quotes and substitutions inside it. */
  #skipUntil(end: ')' | '}' | '`'): void {
    this.#depth += 1;
    if (this.#depth > MOST_NESTED) throw new Unreadable();
    for (let char = this.#text[this.#at]; char !== end; char = this.#text[this.#at]) {
      if (char === undefined) throw new Unreadable();
      if (char === '\\') this.#at += 2;
      else if (char === "'" && end !== '}') this.#quoted();
      else if (char === '"') this.#doubleQuoted();
      else if (char === '$' || (char === '`' && end !== '`')) this.#skipExpansion();
      else if (char === '(' && end === ')') {
        this.#at += 1;
        this.#skipUntil(')');
      } else this.#at += 1;
    }
    this.#at += 1;
    this.#depth -= 1;
  }

  #skipComment(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end === -1 ? this.#text.length : end;
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found === undefined) return null;
    this.#at += found.length;
    return found;
  }
}
