import { NO_FORMS } from '../../conversation/index.ts';
import type { ProtocolAdapter } from '../adapter.ts';
import { isRenamedByOpenCode } from '../reading/forms.ts';
import { readAnswer } from './answer.ts';
import { olderItem, resultsAlone } from './head.ts';
import { parseMessage } from './message.ts';
import { keysOf } from './put-back.ts';
import { readRequest, routeOf } from './request.ts';

/** The Responses API of OpenAI, as Codex, OpenCode and Pi speak it. */
export const openaiAdapter: ProtocolAdapter = {
  protocol: 'openai',
  routeOf,
  readRequest,
  parseMessage,
  resultsAlone,
  staysInView: (element) => olderItem(element).is !== 'past',
  anchorsOf: (element, chain) => ({ anchors: keysOf(element), chain }),
  closesWindow: (element) => olderItem(element).is === 'window',
  forms: { ...NO_FORMS, isRenamed: isRenamedByOpenCode },
  readAnswer,
};
