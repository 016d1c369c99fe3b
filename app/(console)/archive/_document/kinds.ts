/** What a reader calls the kinds of items. */
export const KIND_NAMES: Readonly<Record<string, string>> = {
  input: 'Typed words',
  injected: 'Text added by the agent',
  system: 'System text',
  answer: 'Answer',
  reasoning: 'Reasoning',
  tool_call: 'Tool call',
  tool_result: 'Tool result',
  image: 'Image',
  file: 'File',
  compaction: 'Summary by the agent',
  unknown: 'Part of an unknown kind',
};
