import { type Boundary, type BoundaryElement, chooseBoundary, type NoBoundary } from './boundary.ts';
import type { IndexEntry } from './index-entries.ts';
import { type RenderedIndex, renderIndex } from './index-text.ts';
import { budgetsOf, type RecallSettings } from './limits.ts';

/** What a layout would be made of, if it were made now. */
export interface PlanQuestion {
  readonly elements: readonly BoundaryElement[];
  /** Elements before it stay whole, in front of everything of ours. */
  readonly floor: number;
  /** What an index tells of the elements before a boundary. */
  readonly entriesBefore: (at: number) => readonly IndexEntry[];
  /** Items that the archive holds of the conversation. */
  readonly stored: number;
  /** Tokens of system prompt, tools, the agent's own head and the memory block. */
  readonly fixed: number;
  /** The context limit in tokens; null: the window is unknown. */
  readonly limit: number | null;
  readonly settings: RecallSettings;
  readonly estimate: (text: string) => number;
}

/** A layout that could be made. */
export interface LayoutPlan {
  readonly boundary: Boundary;
  readonly index: RenderedIndex;
  /** Estimated tokens of the whole prompt under it. */
  readonly tokens: number;
}

/** Times that boundary and index are fitted to each other before the newest result is taken. */
const ROUNDS = 6;

/**
 * Plans a layout: the boundary whose recent part fits beside an index of everything before it. The index is the longer
 * the newer the boundary is, and what it takes is not there for the recent part: the two are fitted to each other, the
 * recent part only ever shrinking, so that it ends. A pure function of its input.
 */
export function planLayout(question: PlanQuestion): LayoutPlan | NoBoundary {
  const { elements, floor, fixed, limit, settings } = question;
  let room = budgetsOf(settings, limit, fixed).recent;
  let plan: LayoutPlan | null = null;
  for (let round = 0; round < ROUNDS; round += 1) {
    const boundary = chooseBoundary(elements, room, floor);
    if (typeof boundary === 'string') return plan ?? boundary;
    if (plan !== null && boundary.at === plan.boundary.at) return plan;
    plan = planAt(boundary, question);
    const left = budgetsOf(settings, limit, fixed + plan.index.tokens).recent;
    if (boundary.recent <= left || left >= room) return plan;
    room = left;
  }
  return plan ?? 'no_place';
}

function planAt(boundary: Boundary, question: PlanQuestion): LayoutPlan {
  const { entriesBefore, stored, fixed, limit, settings, estimate, elements, floor } = question;
  const budgets = budgetsOf(settings, limit, fixed);
  const index = renderIndex(entriesBefore(boundary.at), {
    budget: budgets.index,
    atMost: budgets.indexAtMost,
    timeZone: settings.timeZone,
    estimate,
    stored,
  });
  const kept = elements.slice(0, floor).reduce((sum, element) => sum + element.tokens, 0);
  return { boundary, index, tokens: fixed + kept + index.tokens + boundary.recent };
}
