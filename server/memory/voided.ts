import type { Uuid } from '../kernel/ids.ts';
import { compareRank } from './rank.ts';
import type { Statement, VoidStatement } from './types.ts';

/**
 * The statements that are taken back, by the one that does it. One that is itself taken back takes nothing back. What
 * was taken back twice needs both to be undone.
 */
export function voidedIn(statements: readonly Statement[]): ReadonlyMap<Uuid, Uuid> {
  const against = new Map<Uuid, VoidStatement[]>();
  for (const statement of statements) {
    if (statement.kind !== 'void') continue;
    against.set(statement.target, [...(against.get(statement.target) ?? []), statement]);
  }
  const voided = new Map<Uuid, Uuid>();
  // Chains are as long as somebody undid and did again: each is walked from its end.
  const byWhom = (id: Uuid, above: ReadonlySet<Uuid>): Uuid | null => {
    if (above.has(id)) return null;
    const here = new Set(above).add(id);
    const standing = (against.get(id) ?? []).filter((by) => byWhom(by.id, here) === null);
    return standing.toSorted(compareRank).at(-1)?.id ?? null;
  };
  for (const id of new Set([...against.keys(), ...[...against.values()].flat().map((by) => by.id)])) {
    const by = byWhom(id, new Set());
    if (by !== null) voided.set(id, by);
  }
  return voided;
}
