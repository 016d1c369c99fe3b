import type { ArchiveKeeper } from '../../../server/archive/index.ts';
import type { ArchiveReader } from '../../../server/archive/types.ts';
import type { Millis } from '../../../server/kernel/clock.ts';
import type { Uuid } from '../../../server/kernel/ids.ts';

/** How long a deletion waits in the fake, as in the product. */
const UNDO_MS = 12_000;

/** A keeper over the fake archive; what is planned waits in memory. */
export function fakeKeeper(reader: ArchiveReader, changed: () => void): ArchiveKeeper {
  const planned = new Map<Uuid, { readonly due: Millis; readonly timer: NodeJS.Timeout }>();
  const said = new Map<Uuid, number | 'forever'>();
  const removeAll = async (accountId: Uuid, projectId: Uuid | null, at: Millis) => {
    const { items } = await reader.listSessions(accountId, {
      limit: 1_000_000,
      ...(projectId === null ? {} : { projectId }),
    });
    for (const { id } of items) await reader.deleteSession(accountId, id, at);
    return items.length > 0;
  };
  return {
    deleteProject: removeAll,
    deleteArchive: async (accountId, at) => void (await removeAll(accountId, null, at)),
    async planDeletion(accountId, { kind, subject }, at) {
      const known = planned.get(subject);
      if (known !== undefined) return known.due;
      if (kind === 'session' && (await reader.getSession(accountId, subject)) === null) return null;
      const due = (at + UNDO_MS) as Millis;
      const timer = setTimeout(() => {
        planned.delete(subject);
        const work =
          kind === 'session'
            ? reader.deleteSession(accountId, subject, due)
            : removeAll(accountId, kind === 'project' ? subject : null, due);
        void work.then(changed);
      }, UNDO_MS);
      planned.set(subject, { due, timer });
      changed();
      return due;
    },
    async undoDeletion(_account, subject) {
      const known = planned.get(subject);
      clearTimeout(known?.timer);
      planned.delete(subject);
      changed();
      return known !== undefined;
    },
    plannedDeletions: async () => new Map([...planned].map(([id, { due }]) => [id, due])),
    async retention(accountId) {
      const projects = new Map([...said].filter(([scope]) => scope !== accountId));
      return { account: said.get(accountId) ?? 'forever', projects, setAt: null, due: 0 };
    },
    async setRetention(_account, scope, retention) {
      if (retention === null) said.delete(scope);
      else said.set(scope, retention);
      return true;
    },
    databaseBytes: async () => 734_003_200,
  };
}
