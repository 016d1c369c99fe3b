/** Threads that an agent opens beside a conversation for a purpose of its own, by what they are for. */
const SIDE_THREADS: Readonly<Record<string, string>> = {
  title: 'Side request: a title for the session',
  compaction: 'Side request: a summary of the conversation',
  suggestion: 'Side request: a suggestion for the next prompt',
  web_search: 'Side request: a web search',
  count: 'Side request: a count of tokens',
  prewarm: 'Side request: a warm-up',
  other: 'Side request',
};

/** What a thread of side requests is for, also one beside a sub-agent (`id:title`); null for every other thread. */
export function sideThreadName(thread: string): string | null {
  return SIDE_THREADS[thread.slice(thread.lastIndexOf(':') + 1)] ?? null;
}
