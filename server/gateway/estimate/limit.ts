import type { Identity } from '../../conversation/index.ts';
import { compactionPoint, contextLimitOf, modelWindow } from '../../recall/index.ts';

/**
 * The prompt that is not to be passed, in tokens: what a person set, else by the model's window and the point at which the
 * agent compacts by itself. Null: nobody set one and the model is not known.
 * @param headers of the request, names in lower case
 */
export function limitFor(
  identity: Pick<Identity, 'agent'>,
  model: string | null,
  headers: ReadonlyMap<string, string>,
  setting: number | null,
): number | null {
  if (model === null) return contextLimitOf(setting, null, null);
  const betas = (headers.get('anthropic-beta') ?? '').split(',');
  const longContext = betas.some((beta) => beta.trim().startsWith('context-1m'));
  const window = modelWindow(model)?.maxInput ?? null;
  return contextLimitOf(setting, window, compactionPoint(identity.agent, model, longContext));
}
