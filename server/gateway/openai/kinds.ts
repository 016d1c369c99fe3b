import {
  type ItemKind,
  itemsOf,
  type JsonNode,
  member,
  type Role,
  stringMember,
} from '../../conversation/index.ts';
import { agentsOwnTexts, type ElementHints } from '../reading/injected.ts';

/** How texts of user messages begin that Codex wrote (0.171; seen in recorded requests and in its public source). */
const INJECTED_BEGINNINGS = [
  '# AGENTS.md instructions',
  '<INSTRUCTIONS>',
  '<environment_context>',
  '<user_instructions>',
  '<user_shell_command>',
  '<turn_aborted>',
  '<skill>',
  '<skills_instructions>',
  '<permissions instructions>',
  '<collaboration_mode>',
  '<multi_agent_',
  '<model_switch>',
  '<personality_spec>',
  '<subagent_notification>',
  '<goal_context>',
  '<hook_',
  '<image name=',
  '</image>',
  'Another language model started to solve this problem',
  'You are performing a CONTEXT CHECKPOINT COMPACTION',
  'You are now a newly spawned child agent',
  'The following tools are no longer available',
] as const;

const METADATA = 'internal_chat_message_metadata_passthrough';

/**
 * What the texts of one message item are, by their position. The item's own metadata decides where it is there; without
 * hints the rules of Codex hold.
 */
export function textKinds(
  item: JsonNode,
  role: Role,
  hints?: ElementHints,
): (text: string, index: number) => ItemKind {
  const isOwn = hints === undefined ? null : agentsOwnTexts(hints);
  if (isOwn !== null && role === 'user') return (text) => (isOwn(text) ? 'injected' : 'input');
  const metadata = member(item, METADATA);
  const kinds = itemsOf(member(metadata, 'content_item_kinds'));
  const sources = itemsOf(member(metadata, 'content_item_metadata'));
  return (text, index) => {
    if (role === 'assistant') return 'answer';
    const kind = kinds[index];
    const named = kind?.type === 'string' ? kind.value : 'unknown';
    const source = stringMember(member(sources[index], 'provenance'), 'type');
    const isInjected = INJECTED_BEGINNINGS.some((beginning) => text.trimStart().startsWith(beginning));
    if (role !== 'user')
      return isInjected || (named !== 'unknown' && named !== 'model.base_instructions')
        ? 'injected'
        : 'system';
    if (named.startsWith('user.') || source === 'user') return 'input';
    return isInjected || named !== 'unknown' ? 'injected' : 'input';
  };
}

/** The texts of an item's content: a bare string, or those parts that have one. */
export function textsOf(content: JsonNode | undefined): readonly string[] {
  if (content?.type === 'string') return [content.value];
  return itemsOf(content).flatMap((part) => stringMember(part, 'text') ?? []);
}
