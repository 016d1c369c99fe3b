import type { AgentForms } from '../../conversation/index.ts';
import { isRenamedByOpenCode } from '../reading/forms.ts';

const REMINDER = /^<system-reminder>\n?([\s\S]*?)\n?<\/system-reminder>\s*$/;

/**
 * What Claude Code does to messages of its history (2.1.197): reminders are moved between a part of their own, the
 * end of a tool result and a system message (there without their tags); calls of server tools that broke off without
 * a result are dropped. OpenCode renames calls of tools that are not there.
 */
export const claudeForms: AgentForms = {
  reminderOf: (item) => (item.kind === 'injected' ? (REMINDER.exec(item.text)?.[1] ?? null) : null),
  isDropped: (item, answer) =>
    item.kind === 'tool_call' &&
    (item.tool?.callId ?? '').startsWith('srvtoolu_') &&
    !answer.some((other) => other.kind === 'tool_result' && other.tool?.callId === item.tool?.callId),
  isRenamed: isRenamedByOpenCode,
};
