import type { Rules } from '../rules.ts';
import type { AnthropicModel } from './models.ts';

/** What validity depends on beside the body. */
export type ValidityContext = {
  readonly model: AnthropicModel;
  readonly betas: ReadonlySet<string>;
  readonly rules: Rules;
  /** True for count_tokens, which needs no `max_tokens`. */
  readonly counting: boolean;
};
