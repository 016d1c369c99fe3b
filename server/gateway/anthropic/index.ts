import type { ProtocolAdapter } from '../adapter.ts';
import { readAnswer } from './answer.ts';
import { claudeForms } from './forms.ts';
import { closesWindow, staysInView } from './head.ts';
import { parseMessage } from './message.ts';
import { readRequest, routeOf } from './request.ts';

/** The Messages API of Anthropic, as Claude Code, OpenCode and Pi speak it. */
export const anthropicAdapter: ProtocolAdapter = {
  protocol: 'anthropic',
  routeOf,
  readRequest,
  parseMessage,
  staysInView,
  closesWindow,
  forms: claudeForms,
  readAnswer,
};
