import { normalName, normalPredicate } from './normal-form.ts';

/** What names a slot, and the value that it has. */
interface Named {
  readonly subject: string;
  readonly predicate: string;
}

/** Short forms that people type, by the word that they stand for. */
const SHORT: ReadonlyMap<string, string> = new Map([
  ['prod', 'production'],
  ['db', 'database'],
  ['env', 'environment'],
  ['repo', 'repository'],
  ['config', 'configuration'],
  ['k8s', 'kubernetes'],
  ['auth', 'authentication'],
  ['dev', 'development'],
  ['app', 'application'],
  ['doc', 'documentation'],
  ['docs', 'documentation'],
  ['infra', 'infrastructure'],
  ['stage', 'staging'],
]);
/** Words beside a name that do not make it another one. */
const GENERIC: ReadonlySet<string> = new Set([
  'environment',
  'server',
  'servers',
  'system',
  'instance',
  'deployment',
  'service',
  'site',
  'host',
  'main',
  'current',
]);

/**
 * The subject of the one known slot that a name is like where none has the very name: a short form of it, or the same with
 * a word beside it that makes no other thing of it. Null: there is none, or there are several.
 */
export function likeSubject(named: Named, known: readonly Named[]): string | null {
  const subject = normalName(named.subject);
  const predicate = normalPredicate(named.predicate);
  const own = known.filter((one) => normalPredicate(one.predicate) === predicate);
  if (own.some((one) => normalName(one.subject) === subject)) return null;
  const core = coreOf(subject);
  const like = new Map(
    own
      .filter((one) => core !== '' && coreOf(normalName(one.subject)) === core)
      .map((one) => [normalName(one.subject), one.subject]),
  );
  const [only, another] = like.values();
  return another === undefined ? (only ?? null) : null;
}

function coreOf(name: string): string {
  const words = name.split(' ').map((word) => SHORT.get(word) ?? word);
  const core = words.filter((word) => !GENERIC.has(word));
  return (core.length === 0 ? words : core).join(' ');
}
