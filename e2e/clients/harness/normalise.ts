/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** What two runs may differ in: their scratch folder. All else that is volatile is known by its form. */
export interface NormaliseOptions {
  readonly root: string;
  /** Keeps token counts and prices, for runs whose prompts have exactly one length. Default false. */
  readonly keepUsage?: boolean;
  /** Names of further members to leave out. */
  readonly leaveOut?: readonly string[];
}

/** Names of members whose value is a time, a duration, a process or a name drawn by lot. */
const VOLATILE = [
  /^(timestamp|create_time|created_at|started_at|completed_at|nanos|secs)$/,
  /(^|_)(duration|ttft|time_to)(_|$)/i,
  /(_ms|Ms|_at_ms)$/,
  /^(process_id|pid|nickname|agent_nickname|file_size|messageCount|memory_paths)$/,
  /^(ordinal|leafUuid|revision|slug|end_time|chunk_id|wall_time_seconds|encrypted_content|signature)$/,
  /^(time|time_created|time_updated|responseId|parentId|textSignature|thinkingSignature)$/,
  // Codex asks git within a time limit and leaves this out where git was slower.
  /^workspaces$/,
];

const USAGE = /(^usage$|_usage$|^modelUsage$|[cC]ost|[tT]okens?$|^token_|tokenUsage)/;

/** What is replaced in every string: ids, times and counts that differ from run to run. */
const FORMS: readonly (readonly [RegExp, string])[] = [
  [/http:\/\/127\.0\.0\.1:\d+(\/(anthropic|openai))?/g, '<provider>'],
  [/(?<![0-9a-f])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<uuid>'],
  [
    /\b(at|msg|ses|prt|toolu|srvtoolu|req|resp|fc|fco|ctc|ctco|rs|call|cmp|retained)_[A-Za-z0-9<>-]+/g,
    '<$1>',
  ],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?\b/g, '<time>'],
  [/\brollout-\d{4}-\d\d-\d\dT[\d-]+-<uuid>/g, 'rollout'],
  [/\b[0-9a-f]{64}\b/g, '<hash>'],
  [/\b[0-9a-f]{40}\b/g, '<hash>'],
  // Pi's entries.
  [/^[0-9a-f]{8}$/, '<id>'],
  [/\ba[0-9a-f]{16}\b/g, '<agent>'],
  [/\b(cc_version=[\d.]+)\.[0-9a-f]{3}\b/g, '$1'],
  [/Chunk ID: [0-9a-f]+/g, 'Chunk ID'],
  [/Wall time:? [\d.]+ seconds/g, 'Wall time'],
  [/(<uuid>: )[A-Z][a-z]+/g, '$1<name>'],
  [/\b(duration_ms|subagent_tokens): \d+/g, '$1'],
  [/(\\*"(?:nickname|turn_started_at_unix_ms|duration_ms)\\*":\s*)(\\*"[^"\\]*\\*"|\d+)/g, '$1<volatile>'],
];

/** A string with all that differs from run to run replaced by a word in angle brackets. */
export function normaliseText(text: string, options: NormaliseOptions): string {
  const dashed = options.root.replace(/[^A-Za-z0-9]/g, '-');
  const placed = text.replaceAll(options.root, '<root>').replaceAll(dashed, '<root>');
  return FORMS.reduce((current, [form, word]) => current.replace(form, word), placed);
}

/**
 * A JSON value with volatile members left out and volatile words replaced. Strings that hold a JSON object are read as
 * that object, since agents write such members in an order that changes from run to run.
 */
export function normaliseJson(value: Json, options: NormaliseOptions): Json {
  if (typeof value === 'string')
    return value.startsWith('{') ? nested(value, options) : normaliseText(value, options);
  if (Array.isArray(value)) return value.map((entry) => normaliseJson(entry, options));
  if (value === null || typeof value !== 'object') return value;
  const kept = Object.entries(value).filter(
    ([key]) =>
      !VOLATILE.some((form) => form.test(key)) &&
      (options.keepUsage === true || !USAGE.test(key)) &&
      options.leaveOut?.includes(key) !== true,
  );
  return Object.fromEntries(
    kept.map(([key, member]) => [normaliseText(key, options), normaliseJson(member, options)]),
  );
}

/** JSON Lines, normalised; a line that is not JSON is kept as a string. */
export function normaliseLines(text: string, options: NormaliseOptions): readonly Json[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => normaliseJson(parse(line), options));
}

function nested(text: string, options: NormaliseOptions): Json {
  const inner = parse(text);
  return typeof inner === 'string' ? normaliseText(text, options) : normaliseJson(inner, options);
}

function parse(line: string): Json {
  try {
    return JSON.parse(line) as Json;
  } catch {
    return line;
  }
}
