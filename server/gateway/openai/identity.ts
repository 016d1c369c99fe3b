import {
  fieldNamed,
  type Identity,
  type JsonNode,
  member,
  type PlaceClaim,
  type RequestKind,
  readJson,
  type Scan,
  type Slice,
  stringMember,
} from '../../conversation/index.ts';
import type { RequestHead } from '../adapter.ts';
import { agentOf, openCodeSession, SUMMARIZER, TITLE_WRITER } from '../reading/agents.ts';
import { textsOf } from './kinds.ts';

/** Fields and items larger than this are not parsed to learn who sent a request. */
const READ_LIMIT = 512 * 1024;
const ENVIRONMENT = '<environment_context>';
/** How many places where the environment's tag stands are looked at, from the end and from the beginning. */
const ENVIRONMENT_LOOKS = 8;
const COMPACTION = 'You are performing a CONTEXT CHECKPOINT COMPACTION';

/** What a request says of itself, by the names that Codex uses; values from headers before those of the body. */
interface Claims {
  readonly get: (name: string) => string | null;
  readonly turn: JsonNode | undefined;
}

/** Who sent a request and what it is for: headers first, then `client_metadata`, then the conversation. */
export function identityOf(
  head: RequestHead,
  scan: Scan,
  body: Buffer,
  route: 'generation' | 'count' | 'other',
): Identity {
  const claim = agentOf(head.headers);
  const claims = claimsOf(head.headers, fieldNode(scan, body, 'client_metadata'));
  const agent = claim.agent === 'unknown' && claims.turn !== undefined ? 'codex' : claim.agent;
  if (agent !== 'codex') return otherIdentity(head, scan, body, route, agent, claim.version);
  const session =
    claims.get('session-id') ?? claims.get('session_id') ?? stringMember(claims.turn, 'session_id');
  const thread = claims.get('thread-id') ?? claims.get('thread_id') ?? stringMember(claims.turn, 'thread_id');
  const parent = claims.get('x-codex-parent-thread-id') ?? stringMember(claims.turn, 'parent_thread_id');
  const isSubagent =
    parent !== null ||
    claims.get('x-openai-subagent') !== null ||
    stringMember(claims.turn, 'thread_source') === 'subagent';
  const kept = keptByProvider(scan);
  return {
    agent,
    agentVersion: claim.version,
    clientSessionId: session ?? stringField(scan, body, 'prompt_cache_key'),
    clientThreadId: isSubagent ? thread : null,
    parentThreadId: parent === session ? null : parent,
    kind: kindOf(head, scan, body, route, claims.turn, isSubagent),
    place: placeOf(scan, body, claims.turn),
    uncertain: kept ?? doubtOf(session, thread, isSubagent),
  };
}

function doubtOf(session: string | null, thread: string | null, isSubagent: boolean): string | null {
  if (session === null) return 'the request names no session';
  return isSubagent && thread === null ? 'a sub-agent that names no thread' : null;
}

function otherIdentity(
  head: RequestHead,
  scan: Scan,
  body: Buffer,
  route: 'generation' | 'count' | 'other',
  agent: Identity['agent'],
  agentVersion: string | null,
): Identity {
  const openCode = agent === 'opencode' ? openCodeSession(head.headers) : null;
  const named = agent === 'pi' ? (head.headers.get('session_id') ?? null) : (openCode?.session ?? null);
  const thread = openCode?.thread ?? null;
  return {
    agent,
    agentVersion,
    clientSessionId: named ?? (agent === 'unknown' ? null : stringField(scan, body, 'prompt_cache_key')),
    clientThreadId: thread,
    parentThreadId: null,
    kind: kindOf(head, scan, body, route, undefined, thread !== null),
    place: placeOf(scan, body, undefined),
    uncertain: keptByProvider(scan) ?? (named === null ? 'the request names no session' : null),
  };
}

/** A request that leaves its history with the provider cannot be placed by what it sends. */
function keptByProvider(scan: Scan): string | null {
  const names = ['previous_response_id', 'conversation'].filter((name) => {
    const field = fieldNamed(scan, name);
    return field !== null && field.kind !== 'literal';
  });
  return names.length === 0 ? null : 'the request goes on from history that the provider keeps';
}

function claimsOf(headers: ReadonlyMap<string, string>, metadata: JsonNode | undefined): Claims {
  const get = (name: string) => headers.get(name) ?? stringMember(metadata, name);
  const text = get('x-codex-turn-metadata');
  const node =
    text === null
      ? member(metadata, 'x-codex-turn-metadata')
      : (readJson(Buffer.from(text, 'utf8')) ?? undefined);
  return { get, turn: node?.type === 'object' ? node : undefined };
}

/** The parsed field of that name; undefined where it is absent, broken or large. */
export function fieldNode(scan: Scan, body: Buffer, name: string): JsonNode | undefined {
  const field = fieldNamed(scan, name);
  return field?.whole ? smallNode(body, field.value) : undefined;
}

function smallNode(body: Buffer, slice: Slice): JsonNode | undefined {
  return slice.end - slice.start > READ_LIMIT
    ? undefined
    : (readJson(body.subarray(slice.start, slice.end)) ?? undefined);
}

function stringField(scan: Scan, body: Buffer, name: string): string | null {
  const node = fieldNode(scan, body, name);
  return node?.type === 'string' ? node.value : null;
}

function kindOf(
  head: RequestHead,
  scan: Scan,
  body: Buffer,
  route: 'generation' | 'count' | 'other',
  turn: JsonNode | undefined,
  isSubagent: boolean,
): RequestKind {
  if (/\/responses\/compact(?:\?|$)/.test(head.target)) return 'compaction';
  if (route !== 'generation') return route;
  const requestKind = stringMember(turn, 'request_kind');
  const generate = fieldNode(scan, body, 'generate');
  if (requestKind === 'prewarm' || (generate?.type === 'boolean' && !generate.value)) return 'prewarm';
  if (requestKind === 'compaction' || asksForCompaction(scan, body)) return 'compaction';
  if (stringMember(turn, 'thread_source') === 'thread_title' || asksForTitle(scan, body)) return 'title';
  if (asksForSummary(scan, body)) return 'compaction';
  return isSubagent ? 'subagent' : 'main';
}

/** OpenCode and Pi ask for a summary without tools, under a prompt of its own. */
function asksForSummary(scan: Scan, body: Buffer): boolean {
  if ((fieldNamed(scan, 'tools')?.elements ?? []).length > 0) return false;
  return promptsOf(scan, body).some((text) => text.startsWith(SUMMARIZER));
}

/** The texts of a system prompt: `instructions`, else the first item. */
function promptsOf(scan: Scan, body: Buffer): readonly string[] {
  const first = fieldNamed(scan, 'input')?.elements?.[0];
  return [
    stringField(scan, body, 'instructions') ?? '',
    ...textsOf(member(first === undefined ? undefined : smallNode(body, first), 'content')),
  ];
}

function asksForCompaction(scan: Scan, body: Buffer): boolean {
  const last = fieldNamed(scan, 'input')?.elements?.at(-1);
  if (last === undefined) return false;
  const bytes = body.subarray(last.start, last.end);
  if (bytes.includes('compaction_trigger')) {
    return stringMember(smallNode(body, last), 'type') === 'compaction_trigger';
  }
  if (!bytes.includes(COMPACTION)) return false;
  const node = smallNode(body, last);
  return (
    stringMember(node, 'role') === 'user' &&
    textsOf(member(node, 'content')).some((text) => text.startsWith(COMPACTION))
  );
}

function asksForTitle(scan: Scan, body: Buffer): boolean {
  if ((fieldNamed(scan, 'tools')?.elements ?? []).length > 0) return false;
  const schema = member(member(fieldNode(scan, body, 'text'), 'format'), 'schema');
  const properties = member(schema, 'properties');
  if (
    properties?.type === 'object' &&
    properties.entries.length === 1 &&
    member(properties, 'title') !== undefined
  )
    return true;
  return promptsOf(scan, body).some((text) => text.startsWith(TITLE_WRITER));
}

/** The folder from the newest environment that the agent states, repository and remote from its turn metadata. */
function placeOf(scan: Scan, body: Buffer, turn: JsonNode | undefined): PlaceClaim {
  const folder = folderOf(scan, body);
  const workspaces = member(turn, 'workspaces');
  const entries = workspaces?.type === 'object' ? workspaces.entries : [];
  const own = entries.filter(
    ({ key }) =>
      folder !== null && (folder === key || folder.startsWith(`${key}/`) || folder.startsWith(`${key}\\`)),
  );
  const workspace = own.toSorted((left, right) => right.key.length - left.key.length)[0] ?? entries[0];
  const remotes = member(workspace?.value, 'associated_remote_urls');
  const anyRemote =
    remotes?.type === 'object'
      ? remotes.entries.find((entry) => entry.value.type === 'string')?.value
      : undefined;
  return {
    folder,
    root: workspace?.key ?? null,
    remoteUrl: stringMember(remotes, 'origin') ?? (anyRemote?.type === 'string' ? anyRemote.value : null),
    branch: null,
    commit: stringMember(workspace?.value, 'latest_git_commit_hash'),
    isRepository: workspaces === undefined ? null : workspace !== undefined,
  };
}

/** `<cwd>` of the newest environment part in a user message; else of a prompt that names its working directory. */
function folderOf(scan: Scan, body: Buffer): string | null {
  const elements = fieldNamed(scan, 'input')?.elements ?? [];
  let at = body.length;
  for (let look = 0; look < ENVIRONMENT_LOOKS && at >= 0; look++) {
    at = body.lastIndexOf(ENVIRONMENT, at - 1);
    const cwd = at < 0 ? null : cwdAt(elements, body, at);
    if (cwd !== null) return cwd;
  }
  at = -1;
  for (let look = 0; look < ENVIRONMENT_LOOKS; look++) {
    at = body.indexOf(ENVIRONMENT, at + 1);
    if (at < 0) break;
    const cwd = cwdAt(elements, body, at);
    if (cwd !== null) return cwd;
  }
  for (const text of promptsOf(scan, body)) {
    const match = /^[ \t]*(?:Working directory|Current working directory): (.+)$/m.exec(text);
    if (match?.[1] !== undefined) return match[1].trim();
  }
  return null;
}

/** The folder that the environment part around this byte names, if it is one: words in a tool result are not. */
function cwdAt(elements: readonly Slice[], body: Buffer, at: number): string | null {
  let low = 0;
  let high = elements.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((elements[middle]?.start ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  const slice = elements[low];
  if (slice === undefined || at < slice.start || at >= slice.end) return null;
  const node = smallNode(body, slice);
  if (stringMember(node, 'role') !== 'user') return null;
  const text = textsOf(member(node, 'content')).findLast((part) => part.trimStart().startsWith(ENVIRONMENT));
  return /<cwd>([^<]+)<\/cwd>/.exec(text ?? '')?.[1]?.trim() ?? null;
}
