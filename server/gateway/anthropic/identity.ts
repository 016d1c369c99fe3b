import {
  fieldNamed,
  type Identity,
  itemsOf,
  type JsonNode,
  member,
  type PlaceClaim,
  type RequestKind,
  readJson,
  type Scan,
  type ScannedField,
  type Slice,
  stringMember,
} from '../../conversation/index.ts';
import type { RequestHead } from '../adapter.ts';
import { agentOf, openCodeSession, SUMMARIZER, TITLE_WRITER } from '../reading/agents.ts';

/** Fields larger than this are not parsed to learn who sent a request. */
const READ_LIMIT = 512 * 1024;

/** What the sections of a prompt say that Claude Code writes (2.1.197) and OpenCode. */
const FOLDER =
  /^[ \t]*(?:- )?(?:Primary working directory|Working directory|Current working directory): (.+)$/m;
const IS_REPOSITORY = /^[ \t]*(?:- )?Is (?:a git repository|directory a git repo): *(true|false|yes|no)\b/im;
const BRANCH = /^Current branch: (.+)$/m;

const SUGGESTION = '[SUGGESTION MODE:';
const COMPACTION = 'CRITICAL: Respond with TEXT ONLY';
const COMPACTION_TASK = 'Your task is to create a detailed summary';

/** A request's outer fields, parsed as far as identity needs them. */
export interface Outline {
  readonly scan: Scan;
  readonly body: Buffer;
  /** The texts of `system`, the attribution line among them. */
  readonly system: readonly string[];
}

/** Parses the small field of that name; undefined where it is absent, broken or large. */
export function fieldNode(scan: Scan, body: Buffer, name: string): JsonNode | undefined {
  const field = fieldNamed(scan, name);
  return field?.whole ? smallNode(body, field.value) : undefined;
}

function smallNode(body: Buffer, slice: Slice): JsonNode | undefined {
  return slice.end - slice.start > READ_LIMIT
    ? undefined
    : (readJson(body.subarray(slice.start, slice.end)) ?? undefined);
}

/** Reads what identity needs of a scanned body. */
export function outlineOf(scan: Scan, body: Buffer): Outline {
  const system = fieldNode(scan, body, 'system');
  const texts =
    system?.type === 'string'
      ? [system.value]
      : itemsOf(system).map((block) => stringMember(block, 'text') ?? '');
  return { scan, body, system: texts };
}

/** Who sent a request and what it is for: headers first, then `metadata.user_id`, then the prompt. */
export function identityOf(
  head: RequestHead,
  outline: Outline,
  route: 'generation' | 'count' | 'other',
): Identity {
  const claim = agentOf(head.headers);
  const byPrompt = claim.agent === 'unknown' ? agentByPrompt(outline.system) : claim.agent;
  const place = placeOf(outline);
  if (byPrompt !== 'claude-code') {
    const { session, thread } =
      byPrompt === 'opencode' ? openCodeSession(head.headers) : { session: null, thread: null };
    return {
      agent: byPrompt,
      agentVersion: claim.version,
      clientSessionId: session,
      clientThreadId: thread,
      parentThreadId: null,
      kind: kindOf(outline, route, thread !== null),
      place,
      uncertain: session === null ? 'the request names no session' : null,
    };
  }
  const inHeader = head.headers.get('x-claude-code-session-id') ?? null;
  const inBody = sessionOfUser(stringMember(fieldNode(outline.scan, outline.body, 'metadata'), 'user_id'));
  const thread = head.headers.get('x-claude-code-agent-id') ?? null;
  const saysSubagent = /\bcc_is_subagent=true\b/.test(attributionOf(outline.system));
  return {
    agent: 'claude-code',
    agentVersion:
      claim.version ?? /\bcc_version=(\d+\.\d+\.\d+)/.exec(attributionOf(outline.system))?.[1] ?? null,
    clientSessionId: inHeader ?? inBody,
    clientThreadId: thread,
    parentThreadId: null,
    kind: kindOf(outline, route, thread !== null || saysSubagent),
    place,
    uncertain: doubtOf(inHeader, inBody, thread, saysSubagent),
  };
}

function doubtOf(
  inHeader: string | null,
  inBody: string | null,
  thread: string | null,
  saysSubagent: boolean,
): string | null {
  if (inHeader === null && inBody === null) return 'the request names no session';
  if (inHeader !== null && inBody !== null && inHeader !== inBody)
    return 'header and body name different sessions';
  if (saysSubagent && thread === null) return 'a sub-agent that names no id';
  return null;
}

/** Pi sends the SDK's headers alone; its prompt ends in two lines of its own, or asks for a summary. */
function agentByPrompt(system: readonly string[]): 'claude-code' | 'pi' | 'unknown' {
  if (attributionOf(system) !== '') return 'claude-code';
  const last = system.at(-1) ?? '';
  if (last.startsWith(SUMMARIZER)) return 'pi';
  return /\nCurrent date: [^\n]*\nCurrent working directory: [^\n]*\s*$/.test(last) ? 'pi' : 'unknown';
}

function attributionOf(system: readonly string[]): string {
  return system.find((text) => text.startsWith('x-anthropic-billing-header:')) ?? '';
}

/** `metadata.user_id` is JSON with a `session_id`; older versions wrote `user_…_account_…_session_<uuid>`. */
function sessionOfUser(userId: string | null): string | null {
  if (userId === null) return null;
  const node = readJson(Buffer.from(userId, 'utf8'));
  if (node?.type === 'object') return stringMember(node, 'session_id');
  return /_session_([0-9a-f-]{36})$/.exec(userId)?.[1] ?? null;
}

/** What the prompt says of the working folder; of the first message where the client moved its environment there. */
function placeOf(outline: Outline): PlaceClaim {
  const own = placeIn(outline.system);
  const place = own.folder === null ? placeIn(firstTexts(outline)) : own;
  return { root: null, remoteUrl: null, commit: null, ...place };
}

function placeIn(texts: readonly string[]): Pick<PlaceClaim, 'folder' | 'branch' | 'isRepository'> {
  const find = (pattern: RegExp) => {
    for (const text of texts) {
      const match = pattern.exec(text);
      if (match?.[1] !== undefined) return match[1].trim();
    }
    return null;
  };
  const repository = find(IS_REPOSITORY)?.toLowerCase() ?? null;
  return {
    folder: find(FOLDER),
    branch: find(BRANCH),
    isRepository: repository === null ? null : repository === 'true' || repository === 'yes',
  };
}

/** The reminders of the first message. Typed text is not asked: a person may write anything. */
function firstTexts(outline: Outline): readonly string[] {
  const first = fieldNamed(outline.scan, 'messages')?.elements?.[0];
  const content = member(first === undefined ? undefined : smallNode(outline.body, first), 'content');
  return itemsOf(content)
    .map((part) => stringMember(part, 'text') ?? '')
    .filter((text) => text.startsWith('<system-reminder>'));
}

/** What a request is for. Side requests are told before sub-agents, since these make side requests too. */
function kindOf(outline: Outline, route: 'generation' | 'count' | 'other', isSubagent: boolean): RequestKind {
  if (route !== 'generation') return route;
  const { scan, body, system } = outline;
  const tools = fieldNamed(scan, 'tools')?.elements ?? [];
  if (tools.length === 0 && asksForTitle(fieldNode(scan, body, 'output_config'), system)) return 'title';
  if (isWebSearch(tools, outline)) return 'web_search';
  const last = lastUserTexts(fieldNamed(scan, 'messages'), body);
  if (last.some((text) => text.startsWith(SUGGESTION))) return 'suggestion';
  if (last.some((text) => text.startsWith(COMPACTION) && text.includes(COMPACTION_TASK))) return 'compaction';
  if (tools.length === 0 && system.some((text) => text.startsWith(SUMMARIZER))) return 'compaction';
  const maxTokens = fieldNode(scan, body, 'max_tokens');
  if (maxTokens?.type === 'number' && Number(maxTokens.raw) === 0) return 'prewarm';
  if (maxTokens?.type === 'number' && Number(maxTokens.raw) === 1) return 'other';
  return isSubagent ? 'subagent' : 'main';
}

function asksForTitle(output: JsonNode | undefined, system: readonly string[]): boolean {
  const format = member(output, 'format');
  const properties = member(member(format, 'schema'), 'properties');
  const bySchema =
    properties?.type === 'object' &&
    properties.entries.length === 1 &&
    member(properties, 'title') !== undefined;
  return (
    bySchema ||
    system.some(
      (text) => text.startsWith('Generate a concise, sentence-case title') || text.startsWith(TITLE_WRITER),
    )
  );
}

function isWebSearch(tools: readonly Slice[], outline: Outline): boolean {
  const [only] = tools;
  if (only === undefined || tools.length !== 1) return false;
  const type = stringMember(smallNode(outline.body, only), 'type') ?? '';
  return type.startsWith('web_search_') && fieldNamed(outline.scan, 'tool_choice') !== null;
}

/** How many messages from the end may be no user message (system messages stand behind them). */
const LOOK_BACK = 4;

/**
 * The texts of the last user message if it holds the beginning of an instruction of the agent's; none otherwise. The
 * bytes are searched first, so that a large tool result is not parsed for this.
 */
function lastUserTexts(messages: ScannedField | null, body: Buffer): readonly string[] {
  const elements = messages?.elements ?? [];
  for (let index = elements.length - 1; index >= Math.max(0, elements.length - LOOK_BACK); index--) {
    const { start, end } = elements[index] as Slice;
    const bytes = body.subarray(start, end);
    if (!bytes.includes(SUGGESTION) && !bytes.includes(COMPACTION)) {
      if (bytes.includes('"user"') && !bytes.includes('"system"')) return [];
      continue;
    }
    const node = readJson(bytes) ?? undefined;
    if (stringMember(node, 'role') !== 'user') continue;
    const content = member(node, 'content');
    if (content?.type === 'string') return [content.value];
    return itemsOf(content).flatMap((part) =>
      stringMember(part, 'type') === 'text' ? (stringMember(part, 'text') ?? []) : [],
    );
  }
  return [];
}
