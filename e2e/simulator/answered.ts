import type { JsonObject } from './json.ts';
import type { Answer } from './wire/answer.ts';
import type { Charge } from './wire/log.ts';

/** An answer with what the log should know of it. */
export type Answered = {
  readonly answer: Answer;
  readonly usage?: JsonObject;
  readonly charge?: Charge | undefined;
};
