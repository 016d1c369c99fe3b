import type { IdMaker } from '../ids.ts';
import { type Answer, jsonAnswer } from '../wire/answer.ts';
import type { LoggedRequest } from '../wire/log.ts';
import { openAiErrorAnswer } from './errors.ts';
import { findOpenAiModel, OPENAI_MODELS } from './models.ts';

/** Answers `GET /v1/models` and `GET /v1/models/{id}`. */
export function answerOpenAiModels(entry: LoggedRequest, ids: IdMaker): Answer {
  const headers = [['x-request-id', ids('req_', 32)]] as const;
  const object = (id: string) => ({ id, object: 'model', created: 1_767_225_600, owned_by: 'openai' });
  const name = /\/models\/([^/?]+)/.exec(entry.target)?.[1];
  if (name === undefined) {
    return jsonAnswer(200, { object: 'list', data: OPENAI_MODELS.map((model) => object(model.id)) }, headers);
  }
  const model = findOpenAiModel(decodeURIComponent(name));
  if (model !== undefined) return jsonAnswer(200, object(model.id), headers);
  const message = `The model '${name}' does not exist`;
  return openAiErrorAnswer(
    { status: 404, type: 'invalid_request_error', message, param: 'model', code: 'model_not_found' },
    ids,
  );
}
