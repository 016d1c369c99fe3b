export { validateAnthropic } from './anthropic.ts';
export type { ClientRange, Edit, OwnPlace } from './edits.ts';
export { validateOpenai } from './openai.ts';
export { firstOutlines, type Outlines, outlinesIn } from './outline.ts';
export type { EditedBody, LatestThinking } from './request.ts';
export type { Finding, Rule, Verdict } from './verdict.ts';
