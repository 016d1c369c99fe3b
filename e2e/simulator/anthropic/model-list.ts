import type { IdMaker } from '../ids.ts';
import { type Answer, jsonAnswer } from '../wire/answer.ts';
import type { LoggedRequest } from '../wire/log.ts';
import { anthropicErrorAnswer } from './errors.ts';
import { ANTHROPIC_MODELS, type AnthropicModel, findAnthropicModel } from './models.ts';

/** Answers `GET /v1/models` and `GET /v1/models/{id}`. */
export function answerAnthropicModels(entry: LoggedRequest, ids: IdMaker): Answer {
  const headers = [['request-id', ids('req_', 24)]] as const;
  const name = /\/models\/([^/?]+)/.exec(entry.target)?.[1];
  if (name === undefined) {
    const data = ANTHROPIC_MODELS.map(modelObject);
    const page = { first_id: data[0]?.id ?? null, has_more: false, last_id: data.at(-1)?.id ?? null };
    return jsonAnswer(200, { data, ...page }, headers);
  }
  const model = findAnthropicModel(decodeURIComponent(name));
  if (model !== undefined) return jsonAnswer(200, modelObject(model), headers);
  return anthropicErrorAnswer({ status: 404, type: 'not_found_error', message: `model: ${name}` }, ids);
}

function modelObject(model: AnthropicModel) {
  const words = model.id
    .replace(/-\d{8}$/, '')
    .split('-')
    .slice(1);
  const family = words[0] ?? '';
  return {
    type: 'model',
    id: model.id,
    display_name: `Claude ${family.charAt(0).toUpperCase()}${family.slice(1)} ${words.slice(1).join('.')}`,
    created_at: '2026-01-01T00:00:00Z',
    max_input_tokens: model.windowTokens,
    max_tokens: model.maxOutputTokens,
  };
}
