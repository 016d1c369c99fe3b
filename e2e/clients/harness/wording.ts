/**
 * Takes the vendors' own sentences out of a recorded request and leaves its shape: every word becomes as many `x` as it
 * had letters, while structure, lengths, tags, and what agents are recognised by stay. What people and tools said in
 * the recording is the recording's own and stays too.
 */

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Phrases that tell what a request is or where an agent works; with `.*` the rest of the line belongs to them. */
const TELLING = [
  'x-anthropic-billing-header.*',
  ' ?- Primary working directory:.*',
  ' ?- Is a git repository:.*',
  'Working directory:.*',
  'Is directory a git repo:.*',
  'Current branch:.*',
  'Main branch [^:]*:.*',
  'gitStatus:',
  '# (?:Environment|currentDate|claudeMd|gitStatus|Memory)$',
  ' ?Current working directory:.*',
  'Current date:.*',
  ' ?Workspace root folder:.*',
  'You are a title generator',
  'You are a context summarization',
  'You are OpenCode',
  'Generate a title for this conversation:',
  'Here is the conversation so far:',
  'What did we do so far\\?',
  'Continue if you have next steps, or stop and ask for clarification if you are unsure how to proceed\\.',
  'The conversation history before this point was compacted into the following summary:',
  'You are Claude Code',
  'You are a Claude agent',
  'You are an assistant for performing a web search',
  'Generate a concise, sentence-case title',
  'CRITICAL: Respond with TEXT ONLY',
  'Your task is to create a detailed summary',
  'This session is being continued from a previous conversation',
  'Continue from where you left off\\.',
  'You are performing a CONTEXT CHECKPOINT COMPACTION',
  'Another language model started to solve this problem',
  'You are now a newly spawned child agent',
  'The following tools are no longer available',
  'Generate a concise, single-line task title',
  'Message Type: \\w+',
  'hook additional context:?',
  'hook success:?',
  'SessionStart|UserPromptSubmit|PostToolUse',
];
const kept = new RegExp(`(${TELLING.join('|')}|<\\/?[A-Za-z_ -]+>|agentId: \\w+)`, 'gm');

/** The request without the vendors' sentences. A body that is not JSON as agents write it is given back as it is. */
export function withoutWording(body: string): string {
  const request = JSON.parse(body) as { [name: string]: Json };
  if (JSON.stringify(request) !== body) return body;
  return JSON.stringify(
    Object.fromEntries(
      Object.entries(request).map(([name, value]) => {
        if (name === 'system') return [name, everyText(value, blank)];
        if (name === 'tools') return [name, descriptions(value)];
        // A count is asked for pieces of the agent's own prompt, given as if they were typed.
        if (name === 'messages' && request.max_tokens === undefined) return [name, everyText(value, blank)];
        if (name === 'messages' || name === 'input') return [name, (value as Json[]).map(message)];
        return [name, value];
      }),
    ),
  );
}

function message(value: Json): Json {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  if (value.type === 'additional_tools') return descriptions(value);
  return everyText(value, value.role === 'system' || value.role === 'developer' ? blank : injected);
}

/** A text of a conversation: only what the agent put into it is blanked. */
function injected(text: string): string {
  if (
    /CRITICAL: Respond with TEXT ONLY|CONTEXT CHECKPOINT COMPACTION|Another language model started|^<local-command-caveat>|^Here is the conversation so far:|^<conversation>/.test(
      text,
    )
  )
    return blank(text);
  if (/^This session is being continued/.test(text))
    return text.replace(/^[^\n]*|\n\nIf you need[\s\S]*$/g, blank);
  return text.replace(
    /<system-reminder>[\s\S]*?<\/system-reminder>|<permissions instructions>[\s\S]*$/g,
    blank,
  );
}

function blank(text: string): string {
  return text
    .split(kept)
    .map((piece, index) =>
      index % 2 === 1 ? piece : piece.replace(/\p{L}{2,}/gu, (word) => 'x'.repeat(word.length)),
    )
    .join('');
}

/** Every value of a member named `text` or `content` that is a string, and such members further in. */
function everyText(value: Json, change: (text: string) => string): Json {
  if (Array.isArray(value))
    return value.map((one) => (typeof one === 'string' ? change(one) : everyText(one, change)));
  if (value === null || typeof value !== 'object') return typeof value === 'string' ? change(value) : value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (typeof member !== 'string') return [name, everyText(member, change)];
      return [name, name === 'text' || name === 'content' || name === 'output' ? change(member) : member];
    }),
  );
}

function descriptions(value: Json): Json {
  if (Array.isArray(value)) return value.map(descriptions);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      typeof member === 'string' && (name === 'description' || name === 'definition')
        ? blank(member)
        : descriptions(member),
    ]),
  );
}
