export { classifyRefusal } from './classify.ts';
export { refusalInEvent } from './openai.ts';
export type { Refusal } from './refusal.ts';
