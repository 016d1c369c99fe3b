/** What an edited body breaks. Rules of the providers, rules of ours (`kept`, `addition`, `edits`), and the size. */
export type Rule =
  | 'json'
  | 'shape'
  | 'role'
  | 'first-message'
  | 'last-message'
  | 'no-content'
  | 'empty-text'
  | 'call-id'
  | 'tool-pair'
  | 'result-order'
  | 'server-tool-pair'
  | 'system-message'
  | 'thinking'
  | 'cache-marks'
  | 'tools'
  | 'deferred-tool'
  | 'compaction'
  | 'reasoning-group'
  | 'stored-item'
  | 'kept'
  | 'addition'
  | 'edits'
  | 'window';

/**
 * One broken rule. `where` is a JSON pointer into the edited body; `client:` before it makes it one into the client's
 * body, and `edits/3` is the fourth of the edits that were named. `message` says what is wrong there.
 */
export interface Finding {
  readonly rule: Rule;
  readonly where: string;
  readonly message: string;
}

/** The judgement: the first broken rule that was found, always the same for the same input. */
export type Verdict = { readonly ok: true } | ({ readonly ok: false } & Finding);

/** A finding, in one line. */
export function finding(rule: Rule, where: string, message: string): Finding {
  return { rule, where, message };
}

/** The first finding of checks that are run one after the other, until one finds something. */
export function firstOf(checks: readonly (() => Finding | null)[]): Finding | null {
  for (const check of checks) {
    const found = check();
    if (found !== null) return found;
  }
  return null;
}

/** The first finding among values, in their order. */
export function firstAmong<T>(
  values: readonly T[],
  check: (value: T, index: number) => Finding | null,
): Finding | null {
  for (let index = 0; index < values.length; index++) {
    const found = check(values[index] as T, index);
    if (found !== null) return found;
  }
  return null;
}
