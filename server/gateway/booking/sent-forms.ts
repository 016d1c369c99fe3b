import type { BodyPlan, ComposedBody, NotComposed } from '../compose/plan.ts';
import type { Composed } from '../compose/types.ts';
import type { PiecedBody } from '../pieced-body.ts';
import type { BodyPieces, SentForms } from './types.ts';

type Compose = (plan: BodyPlan) => ComposedBody | NotComposed;

/**
 * The bodies that stand between what a client sent and what went out, in the ledger's fixed row. Each is composed by a part of
 * the plan that the request went out by. Null where one of them cannot be.
 */
export function sentForms({ request, plan, body, force }: Composed): SentForms | null {
  const same: SentForms = {
    trimmed: null,
    laidOut: null,
    withTool: null,
    sent: null,
    readsReasoningOf: null,
    evicts: false,
  };
  if (plan === null) return same;
  const { elements } = request.read;
  const readsReasoningOf =
    plan.layout === null || force === null ? null : Math.max(0, elements.length - force.element - 1);
  const compose: Compose = (part) =>
    request.compose(request.body, request.read.scan, request.read.elements, part);
  const pieces = (composed: ComposedBody | NotComposed | null) =>
    composed === null ? null : 'unknown' in composed ? undefined : piecesOf(request.body, composed.body);
  const trimmed = pieces(trimsOf(plan, compose));
  const laidOut = pieces(layoutOf(plan, compose));
  const hasMemory = plan.layout?.memory != null || plan.memory !== undefined;
  const withTool = pieces(hasMemory ? compose(withoutMemory(plan)) : null);
  if (trimmed === undefined || laidOut === undefined || withTool === undefined) return null;
  const sent = piecesOf(request.body, body);
  // Without a memory part the body with our tool is what was sent.
  return hasMemory
    ? { ...same, trimmed, laidOut, withTool, sent, readsReasoningOf }
    : { ...same, trimmed, laidOut, withTool: sent, readsReasoningOf };
}

/** The body with cut results alone; null: none is cut. */
function trimsOf(plan: BodyPlan, compose: Compose): ComposedBody | NotComposed | null {
  const results = plan.results.filter(({ kind }) => kind === 'trimmed-result');
  if (results.length === 0) return null;
  return compose({ tool: null, layout: null, hidden: [], results, leavesReasoning: () => false });
}

/** The body with all that a layout is, without our tool; null: nothing of one stands in it. */
function layoutOf(plan: BodyPlan, compose: Compose): ComposedBody | NotComposed | null {
  const { layout, results, leavesReasoning, fallBack } = plan;
  const hasFills = results.some(({ kind }) => kind === 'filled-result');
  if (layout === null && !hasFills && fallBack !== true) return null;
  const without = layout === null ? null : { ...layout, memory: null };
  return compose({
    tool: null,
    layout: without,
    hidden: [],
    results,
    leavesReasoning,
    fallBack: fallBack === true,
  });
}

function withoutMemory({ memory: _memory, ...plan }: BodyPlan): BodyPlan {
  return plan.layout === null ? plan : { ...plan, layout: { ...plan.layout, memory: null } };
}

/** A body as ranges of the client's where its pieces are that very memory. */
function piecesOf(client: Buffer, { pieces }: PiecedBody): BodyPieces {
  return pieces.map((piece) => {
    const from = piece.byteOffset - client.byteOffset;
    const isRange = piece.buffer === client.buffer && from >= 0 && from + piece.length <= client.length;
    // A copy: the piece may be a part of a larger memory, which would be handed on with it.
    return isRange ? ([from, from + piece.length] as const) : new Uint8Array(piece);
  });
}
