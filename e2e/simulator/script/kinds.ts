/** Which protocol a request speaks: Anthropic Messages or OpenAI Responses. */
export type Protocol = 'anthropic' | 'openai';

/**
 * What a model request is for. `main` and `sub` are conversation turns (of the agent and of one of its sub-agents);
 * the others are side requests that the agents send on their own.
 */
export type TurnKind = 'main' | 'sub' | 'title' | 'compaction' | 'web-search' | 'suggestion' | 'prewarm';

/** How the prompt begins with which OpenCode and Pi ask for a summary; the conversation follows as one text. */
export const SUMMARIZER = 'You are a context summarization';

/** How the prompt begins with which OpenCode asks for a title. */
export const TITLE_WRITER = 'You are a title generator';
