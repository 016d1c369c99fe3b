import type { MessageHash, NewMark, ThreadState } from '../../archive/index.ts';
import { hexOf, type Identity, type ResolvedChain } from '../../conversation/index.ts';

/** A request whose chain is that of the thread's request before is a retry: agents mark retries in no way. */
export function isRetry(thread: ThreadState | null, chain: ResolvedChain): boolean {
  if (thread?.lastRequestMessage == null || chain.added.length > 0) return false;
  return hexOf(thread.lastRequestMessage) === hexOf(chain.head);
}

/** A chain that does not go on from the thread's newest message was moved: a rewind, an edit, a compaction. */
export function moveMarks(thread: ThreadState | null, chain: ResolvedChain, root: MessageHash): NewMark[] {
  if (thread?.head == null) return [];
  const head = hexOf(thread.head);
  if (chain.positions.some((position) => hexOf(position) === head)) return [];
  const added = new Set(chain.added.map((one) => hexOf(one.hash)));
  const common = chain.positions.findLast((position) => !added.has(hexOf(position))) ?? null;
  return [
    {
      kind: 'head_move',
      message: common === null || hexOf(common) === hexOf(root) ? null : common,
      data: { new: chain.added.length },
    },
  ];
}

/** What a side request leaves in the log beside its messages. */
export function sideMarks(identity: Identity, chain: ResolvedChain): NewMark[] {
  if (identity.kind !== 'compaction') return [];
  return [{ kind: 'client_compaction', message: null, data: { messages: chain.positions.length } }];
}
