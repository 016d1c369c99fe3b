import type { ArchiveWriter, NewMark, RecordBatch, RequestView } from '../../archive/index.ts';
import type { Identity } from '../../conversation/index.ts';
import { maskName, maskNameOrNull } from '../../redaction/index.ts';

/**
 * A writer that masks what is written beside the items: names of sessions, threads, models and fields, paths, what the
 * provider says of a fault. Any client and any provider can put a secret into each of them.
 */
export function maskingWriter(writer: ArchiveWriter): ArchiveWriter {
  return {
    ...writer,
    openThread: async (accountId, identity, place, at) =>
      writer.openThread(
        accountId,
        await maskIdentity(identity, await writer.accountKey(accountId)),
        place,
        at,
      ),
    hasSession: async (accountId, agent, clientSessionId) =>
      writer.hasSession(
        accountId,
        agent,
        await maskName(clientSessionId, await writer.accountKey(accountId)),
      ),
    append: async (batch) => writer.append(await maskMarks(batch, await writer.accountKey(batch.accountId))),
    async saveRequest(record) {
      const key = await writer.accountKey(record.accountId);
      await writer.saveRequest({
        ...record,
        method: await maskName(record.method, key),
        path: await maskName(record.path, key),
        agentVersion: await maskNameOrNull(record.agentVersion, key),
        model: await maskNameOrNull(record.model, key),
        note: await maskNameOrNull(record.note, key),
        view: record.view === null ? null : await maskView(record.view, key),
      });
    },
    saveView: async (accountId, requestId, view) =>
      writer.saveView(accountId, requestId, await maskView(view, await writer.accountKey(accountId))),
    savePreamble: async (accountId, hash, partsOf) =>
      writer.savePreamble(accountId, hash, async () => {
        const key = await writer.accountKey(accountId);
        const parts = await partsOf();
        return Promise.all(parts.map(async (part) => ({ ...part, name: await maskName(part.name, key) })));
      }),
    async saveAnswer(answer) {
      const key = await writer.accountKey(answer.accountId);
      await writer.saveAnswer({ ...answer, providerId: await maskNameOrNull(answer.providerId, key) });
    },
    async saveOutcome(outcome) {
      const key = await writer.accountKey(outcome.accountId);
      const { error } = outcome;
      await writer.saveOutcome({
        ...outcome,
        providerRequestId: await maskNameOrNull(outcome.providerRequestId, key),
        stopReason: await maskNameOrNull(outcome.stopReason, key),
        error:
          error === null
            ? null
            : { type: await maskName(error.type, key), message: await maskName(error.message, key) },
      });
    },
  };
}

/** What a view says in words may be a provider's, which repeats what it was sent. */
async function maskView(view: RequestView, key: Uint8Array): Promise<RequestView> {
  const { because, unedited, again } = view;
  return {
    ...view,
    ...(again === undefined ? {} : { again: { ...again, view: await maskView(again.view, key) } }),
    because: await maskNameOrNull(because, key),
    unedited:
      unedited === null
        ? null
        : { reason: await maskName(unedited.reason, key), detail: await maskName(unedited.detail, key) },
  };
}

async function maskIdentity(identity: Identity, key: Uint8Array): Promise<Identity> {
  return {
    ...identity,
    agentVersion: await maskNameOrNull(identity.agentVersion, key),
    clientSessionId: await maskNameOrNull(identity.clientSessionId, key),
    clientThreadId: await maskNameOrNull(identity.clientThreadId, key),
    parentThreadId: await maskNameOrNull(identity.parentThreadId, key),
  };
}

async function maskMarks(batch: RecordBatch, key: Uint8Array): Promise<RecordBatch> {
  const marks: NewMark[] = [];
  for (const mark of batch.marks) {
    const data: Record<string, string | number | boolean | null> = {};
    for (const [name, value] of Object.entries(mark.data))
      data[name] = typeof value === 'string' ? await maskName(value, key) : value;
    marks.push({ ...mark, data });
  }
  return { ...batch, marks };
}
