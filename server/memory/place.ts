import type { Uuid } from '../kernel/ids.ts';

/** Whose facts they are: a repository's, one worktree's, or one thread's. */
export interface Scope {
  readonly kind: 'project' | 'worktree' | 'thread';
  readonly id: Uuid;
}

/** Where somebody stands who reads or writes facts. What is not known (null) has no facts: never those of all places. */
export interface FactPlace {
  readonly projectId: Uuid | null;
  readonly worktreeId: Uuid | null;
  readonly threadId: Uuid | null;
}

/** The scopes that are read at a place: its own, and nothing else. */
export function scopesOf({ projectId, worktreeId, threadId }: FactPlace): readonly Scope[] {
  const scopes: Scope[] = [];
  if (projectId !== null) scopes.push({ kind: 'project', id: projectId });
  if (worktreeId !== null) scopes.push({ kind: 'worktree', id: worktreeId });
  if (threadId !== null) scopes.push({ kind: 'thread', id: threadId });
  return scopes;
}

/**
 * Whose a fact is that a person typed in the main line: the repository's, so that all of its worktrees see it. Where no
 * folder is known it is the thread's own.
 */
export function scopeOfTyped({ projectId, threadId }: FactPlace): Scope | null {
  if (projectId !== null) return { kind: 'project', id: projectId };
  return threadId === null ? null : { kind: 'thread', id: threadId };
}
