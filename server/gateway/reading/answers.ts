import { viewOf } from '../../conversation/index.ts';
import type { ReadAnswer } from '../adapter.ts';

/** An answer of which nothing could be read. */
export const NO_ANSWER: ReadAnswer = {
  messages: [],
  providerId: null,
  model: null,
  stopReason: null,
  usage: null,
  billed: null,
  complete: false,
  error: null,
};

/** Most bytes of a body that is no error of the protocol's, to be shown as the provider's own words. */
const SHOWN = 500;

/** The answer under its status: what came with another than 2xx is an error, and never complete. */
export function underStatus(answer: ReadAnswer, status: number, body: Uint8Array): ReadAnswer {
  if (status >= 200 && status < 300) return answer;
  const plain = { type: `http_${status}`, message: viewOf(body).toString('utf8', 0, SHOWN) };
  return { ...answer, complete: false, error: answer.error ?? plain };
}
