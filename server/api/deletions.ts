import { z } from 'zod';
import type { DeletionTarget } from '../archive/index.ts';
import type { SessionRow } from '../archive/types.ts';
import type { Millis } from '../kernel/clock.ts';
import { ContextModeError } from '../kernel/errors.ts';
import type { Uuid } from '../kernel/ids.ts';
import type { ApiContext } from './trpc.ts';
import { isoOf } from './wire.ts';

/** What is answered where a deletion was planned: the moment until which it can be taken back. */
export const planned = z.object({ deletesAt: z.string() });

/** What is answered where one was taken back; false: there was none, or it has begun. */
export const undone = z.object({ undone: z.boolean() });

/** What is answered where something was deleted at once. */
export const deleted = z.object({ deleted: z.boolean() });

/** When what is planned goes, by the id of session, project or account. */
export type Planned = ReadonlyMap<Uuid, Millis>;

/** What is planned in the account of the caller. */
export function plannedIn({ services }: ApiContext): Promise<Planned> {
  return services.keeper.plannedDeletions(services.accountId);
}

/** When a session goes, by itself or with its project or everything; null: it stays. */
export function whenGoes(
  { services }: ApiContext,
  all: Planned,
  session: Pick<SessionRow, 'id' | 'project'>,
): Millis | null {
  const moments = [session.id, session.project?.id, services.accountId].flatMap((id) =>
    id === undefined ? [] : (all.get(id) ?? []),
  );
  return moments.length === 0 ? null : (Math.min(...moments) as Millis);
}

/** Plans a deletion. @throws ContextModeError `not_found` where there is nothing of that id */
export async function plan(
  { services }: ApiContext,
  target: DeletionTarget,
): Promise<z.infer<typeof planned>> {
  const due = await services.keeper.planDeletion(services.accountId, target, services.clock.now());
  if (due === null) {
    throw new ContextModeError('not_found', `There is no ${target.kind} with this id.`, {
      hint: 'It may have been deleted already. Reload the page.',
    });
  }
  return { deletesAt: isoOf(due) };
}

/** Takes back what was planned for a session, a project or (the account's id) everything. */
export async function undo({ services }: ApiContext, subject: Uuid): Promise<z.infer<typeof undone>> {
  return { undone: await services.keeper.undoDeletion(services.accountId, subject) };
}
