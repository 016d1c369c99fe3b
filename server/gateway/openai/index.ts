import { NO_FORMS } from '../../conversation/index.ts';
import type { ProtocolAdapter } from '../adapter.ts';
import { readAnswer } from './answer.ts';
import { parseMessage } from './message.ts';
import { readRequest, routeOf } from './request.ts';

/** The Responses API of OpenAI, as Codex (and OpenCode and Pi, by name only) speak it. */
export const openaiAdapter: ProtocolAdapter = {
  protocol: 'openai',
  routeOf,
  readRequest,
  parseMessage,
  forms: NO_FORMS,
  readAnswer,
};
