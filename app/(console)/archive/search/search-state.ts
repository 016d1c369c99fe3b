import { parseAsString, parseAsStringLiteral } from 'nuqs';
import { DOCUMENT_STATE } from '../_document/document-state.ts';
import { boundsOf, SPAN_STATE } from '../_filters/time-span.ts';

const KINDS = [
  'input',
  'answer',
  'reasoning',
  'tool_call',
  'tool_result',
  'injected',
  'system',
  'compaction',
  'file',
] as const;
const ROLES = ['user', 'assistant', 'system', 'developer', 'tool'] as const;

/** What stands in the address of a search. */
export const SEARCH_STATE = {
  q: parseAsString.withDefault(''),
  project: parseAsString.withDefault(''),
  session: parseAsString.withDefault(''),
  thread: parseAsString.withDefault(''),
  kind: parseAsStringLiteral(['', ...KINDS]).withDefault(''),
  role: parseAsStringLiteral(['', ...ROLES]).withDefault(''),
  tool: parseAsString.withDefault(''),
  path: parseAsString.withDefault(''),
  ...SPAN_STATE,
};

/** The same with the document that is open beside the hits. */
export const SCREEN_STATE = { ...SEARCH_STATE, ...DOCUMENT_STATE };

/** The values of {@link SEARCH_STATE}. */
export interface SearchState {
  readonly q: string;
  readonly project: string;
  readonly session: string;
  readonly thread: string;
  readonly kind: '' | (typeof KINDS)[number];
  readonly role: '' | (typeof ROLES)[number];
  readonly tool: string;
  readonly path: string;
  readonly span: 'today' | '7d' | '30d' | 'between' | 'all';
  readonly since: string;
  readonly until: string;
}

/** Kinds as choices, the empty one first. */
export const KIND_CHOICES = [
  { value: '', label: 'Everything' },
  { value: 'input', label: 'Typed words' },
  { value: 'answer', label: 'Answers' },
  { value: 'tool_call', label: 'Tool calls' },
  { value: 'tool_result', label: 'Tool results' },
  { value: 'reasoning', label: 'Reasoning' },
  { value: 'injected', label: 'Added by the agent' },
  { value: 'system', label: 'System text' },
  { value: 'compaction', label: 'Summaries' },
  { value: 'file', label: 'Files' },
] as const;

/** Roles as choices, the empty one first. */
export const ROLE_CHOICES = [
  { value: '', label: 'Anybody' },
  { value: 'user', label: 'User' },
  { value: 'assistant', label: 'Assistant' },
  { value: 'tool', label: 'Tool' },
  { value: 'system', label: 'System' },
  { value: 'developer', label: 'Developer' },
] as const;

/** A search as it is asked; null: there is nothing to ask yet. `now` as {@link boundsOf} takes it. */
export function searchOf(
  state: SearchState,
  now: number,
): (Readonly<Record<string, string>> & { q: string }) | null {
  const bounds = boundsOf(state, now);
  if (state.q.trim() === '' || bounds === null) return null;
  const { q, project, session, thread, kind, role, tool, path } = state;
  const filters = { project, session, thread, kind, role, tool: tool.trim(), path: path.trim() };
  return {
    q: q.trim(),
    ...Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== '')),
    ...bounds,
  };
}

/** True if something beside the words narrows a search. */
export function isNarrowed({ project, session, thread, kind, role, tool, path, span }: SearchState): boolean {
  return span !== 'all' || [project, session, thread, kind, role, tool, path].some((value) => value !== '');
}

/** No filter at all. */
export const NO_FILTER = {
  project: null,
  session: null,
  thread: null,
  kind: null,
  role: null,
  tool: null,
  path: null,
  span: null,
  since: null,
  until: null,
};

/** The address of a search. */
export function searchAddress(parts: Partial<Record<keyof typeof SEARCH_STATE, string>>): string {
  const query = new URLSearchParams(Object.entries(parts).filter(([, value]) => value !== ''));
  return `/archive/search${query.size === 0 ? '' : `?${query}`}`;
}
