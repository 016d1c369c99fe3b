import { member, stringMember } from '../../conversation/index.ts';
import { plainMembers } from '../hidden/plain-members.ts';
import type { HiddenWhole } from '../hidden/types.ts';
import { joinWholes } from '../hidden/whole.ts';
import { answerHead, HEAD_MEMBERS } from './answer-head.ts';

/** The hidden loop's view of Messages API answers that do not stream. @param tool name of our tool */
export function wholeMessages(tool: string): HiddenWhole {
  return joinWholes({
    list: 'content',
    isReasoning: (part) => ['thinking', 'redacted_thinking'].includes(stringMember(part, 'type') ?? ''),
    ourCall: (part, json) => {
      if (stringMember(part, 'type') !== 'tool_use' || stringMember(part, 'name') !== tool) return null;
      const input = member(part, 'input');
      const text =
        input === undefined
          ? '{}'
          : Buffer.from(json).toString('utf8', input.start - part.start, input.end - part.start);
      return { id: stringMember(part, 'id') ?? '', input: text };
    },
    isClientCall: (part) => stringMember(part, 'type') === 'tool_use',
    goesOn: (answer) => stringMember(answer, 'stop_reason') === 'tool_use',
    traces: () => [],
    head: (answer, body) => answerHead(plainMembers(answer, HEAD_MEMBERS, body)),
  });
}
