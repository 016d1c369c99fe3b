import type { ProtocolAdapter } from '../adapter.ts';
import { readAnswer } from './answer.ts';
import { claudeForms } from './forms.ts';
import { closesWindow, staysInView } from './head.ts';
import { parseMessage } from './message.ts';
import { resultsAlone } from './message-parts.ts';
import { anchorsIn } from './put-back.ts';
import { readRequest, routeOf } from './request.ts';

/** The Messages API of Anthropic, as Claude Code, OpenCode and Pi speak it. */
export const anthropicAdapter: ProtocolAdapter = {
  protocol: 'anthropic',
  routeOf,
  readRequest,
  parseMessage,
  resultsAlone,
  staysInView,
  anchorsOf(element, chain) {
    const { anchors, chainAtEnd } = anchorsIn(element, [{ start: 0, end: element.byteLength }], 0, chain);
    return { anchors: anchors[0] ?? [], chain: chainAtEnd };
  },
  closesWindow,
  forms: claudeForms,
  readAnswer,
};
