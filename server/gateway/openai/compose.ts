import { fieldNamed, type Scan, type Slice } from '../../conversation/index.ts';
import { changeList, toolRun } from '../compose/changed.ts';
import type { BodyPlan, ComposedBody, NotComposed } from '../compose/plan.ts';
import { PiecedBody } from '../pieced-body.ts';
import { applyEdits } from '../splice.ts';
import { addToolToResponses } from './add-tool.ts';
import { ItemChanges } from './changes.ts';
import { olderItems } from './older.ts';

/**
 * Everything of a plan in one body of the Responses API. A pure function of its input: the same conversation with more
 * behind it gets the same bytes in front of these. With nothing to change it gives the very same buffer alone. An `input` that
 * is a bare string gets our tool at most.
 * @param scan of the body, with the entries of `input` and `tools`
 * @param elements the entries of `input`
 */
export function composeItems(
  body: Buffer,
  scan: Scan,
  elements: readonly Slice[],
  plan: BodyPlan,
): ComposedBody | NotComposed {
  const { layout } = plan;
  const isList = fieldNamed(scan, 'input')?.kind === 'array';
  if (!isList && layout !== null) return { unknown: 'an input that is no list' };
  const older = layout === null ? null : (layout.older ?? olderItems(body, elements, layout.at));
  if (older !== null && 'unknown' in older) return older;
  const tool = plan.tool === null ? null : addToolToResponses(scan, plan.tool);
  const work = new ItemChanges(body, isList ? elements : [], plan, older, tool === null ? plan.tool : null);
  const changes = work.all();
  if ('unknown' in changes) return changes;
  const list = changeList(elements, changes);
  if (list.length === 0 && elements.length > 0) return { unknown: 'nothing would be left of it' };
  const edits = tool === null ? list.edits : [tool.edit, ...list.edits];
  if (edits.length === 0) return { body: new PiecedBody([body]), named: [], runs: [] };
  const runs = plan.tool !== null && (tool !== null || work.hasTool) ? [toolRun(plan.tool)] : [];
  return {
    body: applyEdits(body, edits),
    named: tool === null ? list.named : [tool.named, ...list.named],
    runs: [...runs, ...list.runs],
  };
}
