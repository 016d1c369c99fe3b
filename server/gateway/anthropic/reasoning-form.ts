import { fieldNamed, fieldsOf, type Scan, stringIn } from '../../conversation/index.ts';

/**
 * What may be done with the thinking of a turn that is running, when what was sent before it changes:
 * - `leave_out`: all of it is left out;
 * - `keep_turn`: the turn's thinking stays as it is; older thinking is left out;
 * - `drop_block`: nothing is left out, and the provider is asked to drop what no longer fits.
 */
export type ReasoningForm = 'leave_out' | 'keep_turn' | 'drop_block';

/**
 * Models that bind thinking to the exact conversation before it (providers.md 1.6: Fable and Mythos 5.1 and 5.2, and the
 * 5.5 family of Opus, Sonnet and Haiku), by how their names begin. Leaving out all thinking is valid for them.
 */
const BINDING = /^claude-(?:(?:fable|mythos)-5-[12]|(?:opus|sonnet|haiku)-5-5)(?:-|$)/;

/**
 * The form for a model and a request (providers.md 1.4 and 1.6):
 *
 * | thinking of the request | model binds | form |
 * | --- | --- | --- |
 * | `enabled` (4.6 and earlier demand that the running turn's last answer begins with its thinking) | no | `keep_turn` |
 * | `enabled` | yes (such a model refuses the mode; the table is whole) | `drop_block` |
 * | everything else, also none | either | `leave_out` |
 */
export function reasoningForm(model: string | null, body: Uint8Array, scan: Scan): ReasoningForm {
  const thinking = fieldNamed(scan, 'thinking')?.value;
  if (thinking === undefined) return 'leave_out';
  const value = body.subarray(thinking.start, thinking.end);
  if (stringIn(value, fieldsOf(value).get('type')) !== 'enabled') return 'leave_out';
  return model !== null && BINDING.test(model) ? 'drop_block' : 'keep_turn';
}
