import { stringMember } from '../../conversation/index.ts';
import { plainMembers } from '../hidden/plain-members.ts';
import type { HiddenWhole } from '../hidden/types.ts';
import { joinWholes } from '../hidden/whole.ts';
import { answerHead, HEAD_MEMBERS } from './answer-head.ts';
import { CLIENT_CALLS } from './hidden-stream.ts';
import { withoutOwnTool } from './own-tool.ts';

/** The hidden loop's view of Responses that do not stream. @param tool name of our tool */
export function wholeResponses(tool: string): HiddenWhole {
  return joinWholes({
    list: 'output',
    isReasoning: (part) => stringMember(part, 'type') === 'reasoning',
    ourCall: (part) =>
      stringMember(part, 'type') === 'function_call' && stringMember(part, 'name') === tool
        ? { id: stringMember(part, 'call_id') ?? '', input: stringMember(part, 'arguments') ?? '{}' }
        : null,
    isClientCall: (part) => CLIENT_CALLS.has(stringMember(part, 'type') ?? ''),
    goesOn: (answer) => stringMember(answer, 'status') === 'completed',
    traces: (answer) => withoutOwnTool(answer, tool),
    head: (answer, body) => answerHead(plainMembers(answer, HEAD_MEMBERS, body)),
  });
}
