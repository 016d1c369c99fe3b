import type { Scan, Slice } from '../../conversation/index.ts';
import { changeList, toolRun } from '../compose/changed.ts';
import type { BodyPlan, ComposedBody, NotComposed } from '../compose/plan.ts';
import { PiecedBody } from '../pieced-body.ts';
import { applyEdits } from '../splice.ts';
import { addToolToMessages } from './add-tool.ts';
import { MessageChanges } from './changes.ts';
import { olderMessages } from './older.ts';

/**
 * Everything of a plan in one body of the Messages API. A pure function of its input: the same conversation with more
 * behind it gets the same bytes in front of these. With nothing to change it gives the very same buffer alone.
 * @param scan of the body, with the entries of `messages` and `tools`
 * @param elements the entries of `messages`
 */
export function composeMessages(
  body: Buffer,
  scan: Scan,
  elements: readonly Slice[],
  plan: BodyPlan,
): ComposedBody | NotComposed {
  const { layout } = plan;
  const older = layout === null ? null : (layout.older ?? olderMessages(body, elements, layout.at));
  if (older !== null && 'unknown' in older) return older;
  const changes = new MessageChanges(body, scan, elements, plan, older).all();
  if ('unknown' in changes) return changes;
  const list = changeList(elements, changes);
  if (list.length === 0 && elements.length > 0) return { unknown: 'nothing would be left of it' };
  const tool = plan.tool === null ? null : addToolToMessages(body, scan, plan.tool);
  const edits = tool === null ? list.edits : [tool.edit, ...list.edits];
  if (edits.length === 0) return { body: new PiecedBody([body]), named: [], runs: [] };
  return {
    body: applyEdits(body, edits),
    named: tool === null ? list.named : [tool.named, ...list.named],
    runs: tool === null ? list.runs : [toolRun(plan.tool ?? ''), ...list.runs],
  };
}
