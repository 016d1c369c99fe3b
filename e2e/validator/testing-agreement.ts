import {
  type Edit,
  type Verdict,
  validateAnthropic,
  validateOpenai,
} from '../../server/gateway/validator/index.ts';
import type { JsonObject } from '../simulator/json.ts';
import { type JudgeOptions, judgeAnthropic, judgeOpenai, type Refusal } from '../simulator/judge.ts';
import { OWN_TOOL } from './testing-edits.ts';
import { HEADERS } from './testing-messages.ts';

/** The protocols that are judged. */
export type Judged = 'anthropic' | 'openai';

/** Two judgements of one body: the validator's, and the simulated provider's (null: taken). */
export interface Judgements {
  readonly validator: Verdict;
  readonly provider: Refusal | null;
}

/** Judges an edited body by both. */
export function judgements(
  protocol: Judged,
  client: JsonObject,
  edited: JsonObject,
  edits: readonly Edit[],
  options: JudgeOptions,
): Judgements {
  const validate = protocol === 'anthropic' ? validateAnthropic : validateOpenai;
  const before = Buffer.from(JSON.stringify(client));
  const validator = validate({
    client: before,
    edited: client === edited ? before : Buffer.from(JSON.stringify(edited)),
    edits,
    ownTool: OWN_TOOL,
    // No source says that a Responses model takes a call without its reasoning.
    latestThinking: protocol === 'anthropic' ? 'untouched-or-none' : 'untouched',
    window: null,
    estimate: () => 0,
  });
  const provider =
    protocol === 'anthropic'
      ? judgeAnthropic(edited, HEADERS, { binding: 'off', ...options })
      : judgeOpenai(edited, [], options);
  return { validator, provider };
}
