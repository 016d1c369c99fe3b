import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import { breathe } from '../kernel/breath.ts';
import { SECRET } from './patterns.ts';
import type { Finding } from './types.ts';

/** The part of secretlint's rule interface that its recommended rules use. */
interface Rule {
  readonly meta: { readonly id: string };
  create(context: RuleContext, options: object): { file?(source: RuleSource): void | Promise<void> };
}
interface RuleContext {
  createTranslator(
    messages: object,
  ): (id: string) => { readonly message: string; readonly messageId: string };
  report(found: { readonly range: readonly [number, number] }): void;
  ignore(found: object): void;
}
interface RuleSource {
  readonly content: string;
  readonly filePath: undefined;
  readonly ext: string;
  readonly contentType: 'text';
}

/**
 * Rules left out: comments inside a scanned text could switch detection off; the two for addresses mask the whole
 * address where the password alone is the secret (the project's own patterns do that).
 */
const leftOut = new Set([
  '@secretlint/secretlint-rule-filter-comments',
  '@secretlint/secretlint-rule-basicauth',
  '@secretlint/secretlint-rule-database-connection-string',
]);
/** Rules that tell a secret by the name before it. */
const named = new Set(['aws']);
const used = (rules as unknown as readonly Rule[]).filter((rule) => !leftOut.has(rule.meta.id));

/**
 * What secretlint's recommended rules find in a text. The rules are called directly: secretlint's own engine keeps a
 * performance mark for every rule it ever ran, so that a long-lived process slows down with each text.
 */
export async function findBySecretlint(text: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  const source: RuleSource = { content: text, filePath: undefined, ext: '', contentType: 'text' };
  for (const rule of used) {
    const name = rule.meta.id.replace(/^.*-rule-/, '').replace(/[^a-z0-9]/g, '_');
    const type = named.has(name) ? SECRET : name;
    const context: RuleContext = {
      createTranslator: () => (id) => ({ message: id, messageId: id }),
      report: ({ range: [start, end] }) => findings.push({ start: valueStart(text, start, end), end, type }),
      ignore: () => undefined,
    };
    await rule.create(context, {}).file?.(source);
    await breathe();
  }
  return findings;
}

/** Where the secret itself begins in what a rule reports: some report the name before it too (`AWS_SECRET_ACCESS_KEY=…`). */
function valueStart(text: string, start: number, end: number): number {
  const named = /^["']?\w{1,60}["']?\s{0,8}(?:=>|[:=])\s{0,8}["']?(?=[^\s"'])/.exec(
    text.slice(start, Math.min(end, start + 160)),
  );
  return start + (named?.[0].length ?? 0);
}
