import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dataFolder } from '../data-folder.ts';
import { CliFailure, EXIT } from '../failure.ts';
import type { HttpAnswer, HttpHeaders, World } from '../world.ts';
import { DEFAULT_GATEWAY, gatewayAddress } from './address.ts';
import { KEY_HEADER, readLocalKey } from './local-key.ts';

const HEALTH_MS = 3_000;
const CALL_MS = 10_000;
const SEARCH_MS = 30_000;
const HOUR_MS = 3_600_000;
const PAGE = 500;
const MAX_PAGES = 20;

/** What the running gateway writes into the data folder. */
export interface GatewayFile {
  readonly pid: number;
  readonly startedAt: string;
  readonly url: string;
  readonly version: string;
}

/** A gateway that was asked for its health. `refusing`: it takes this command for somebody else's. */
export type Gateway =
  | { readonly url: string; readonly state: 'healthy'; readonly about: About }
  | { readonly url: string; readonly state: 'silent' | 'foreign' | 'refusing' | 'unhealthy' };

/** What a gateway says of itself; null where it does not say it. */
export interface About {
  readonly version: string | null;
  readonly mode: 'local' | 'hosted' | null;
  /** True where agents must show the local key, because the system does not tell the gateway whose they are. */
  readonly keyNeeded: boolean;
  /** Where each door leads, for example `https://api.anthropic.com`. */
  readonly upstreams: Readonly<Record<string, string>>;
}

/** The last request of one agent that came through a door. */
export interface LastRequest {
  readonly agent: string;
  readonly lastSeenAt: string;
  readonly requests: number;
  readonly lastStatus: number | null;
}

/** A session that was seen within the last hour. */
export interface OpenSession {
  readonly agent: string;
  readonly title: string;
  readonly lastSeenAt: string;
}

/** `gateway.json` of the data folder, or null where there is none that can be read. */
export async function readGatewayFile(world: World): Promise<GatewayFile | null> {
  try {
    const stored: unknown = JSON.parse(await readFile(join(dataFolder(world), 'gateway.json'), 'utf8'));
    const pid = numberAt(stored, 'pid');
    const url = textAt(stored, 'url');
    if (pid === null || url === null) return null;
    const startedAt = textAt(stored, 'startedAt') ?? '';
    return { pid, url: gatewayAddress(url), startedAt, version: textAt(stored, 'version') ?? '' };
  } catch {
    return null;
  }
}

/**
 * The gateway's address: the one given, else `CONTEXT_MODE_URL`, else the running local one's, else the usual one.
 * @throws CliFailure `usage` where the given one is none.
 */
export async function findAddress(world: World, given: string | undefined): Promise<string> {
  const named = given ?? world.variables.CONTEXT_MODE_URL;
  if (named) return gatewayAddress(named);
  return (await readGatewayFile(world))?.url ?? usualAddress(world);
}

/** Where a local gateway listens by the variables of this shell. */
export function usualAddress(world: World): string {
  const port = world.variables.PORT || '4141';
  const host = world.variables.HOST || '127.0.0.1';
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return URL.canParse(url) ? gatewayAddress(url) : DEFAULT_GATEWAY;
}

/** Asks what answers at an address for its health. Never throws. */
export async function probe(world: World, url: string): Promise<Gateway> {
  const health = await ask(world, url, '/healthz', HEALTH_MS);
  if (health === null) return { url, state: 'silent' };
  const status = await ask(world, url, '/api/v1/status', CALL_MS);
  if (!isOurs(status)) return { url, state: 'foreign' };
  if (status?.status === 403) return { url, state: 'refusing' };
  if (health.status !== 200) return { url, state: 'unhealthy' };
  return { url, state: 'healthy', about: aboutOf(status?.status === 200 ? status.body : null) };
}

/** A part of the gateway that is needed to archive, and how it does. */
export interface Part {
  readonly name: string;
  readonly ok: boolean;
  readonly note: string | null;
}

/**
 * Whether a gateway can archive, with its parts. A gateway that lives and is not ready lets bytes pass unrecorded.
 * One that does not answer the question counts as ready.
 */
export async function readiness(
  world: World,
  url: string,
): Promise<{ ready: boolean; parts: readonly Part[] }> {
  const answer = await ask(world, url, '/readyz', CALL_MS);
  const parts = fieldOf(answer?.body, 'parts');
  return {
    ready: answer?.status !== 503,
    parts: (Array.isArray(parts) ? parts : []).flatMap((part) => {
      const name = textAt(part, 'name');
      return name === null ? [] : [{ name, ok: fieldOf(part, 'ok') === true, note: textAt(part, 'note') }];
    }),
  };
}

const START_IT =
  'Start it with "context-mode start" (or "npm start" in its folder), or name another one with --gateway URL.';

/** Asks an address, and fails where no gateway answers there. @throws CliFailure `noGateway` */
export async function mustAnswer(world: World, url: string): Promise<Gateway & { state: 'healthy' }> {
  const gateway = await probe(world, url);
  if (gateway.state === 'healthy') return gateway;
  const what = {
    silent: `No gateway answers at ${url}.`,
    refusing: `The gateway at ${url} belongs to somebody else, or keeps its data in another folder than this command looks in.`,
    foreign: `What answers at ${url} is not a Context Mode gateway.`,
    unhealthy: `The gateway at ${url} says that it is not well.`,
  }[gateway.state];
  const hint = {
    silent: START_IT,
    foreign: START_IT,
    refusing:
      'Set CONTEXT_MODE_HOME to the data folder that it was started with; its file local.key is needed.',
    unhealthy: 'Run "context-mode doctor", or read its log in the data folder.',
  }[gateway.state];
  throw new CliFailure(EXIT.noGateway, what, hint);
}

/** The last request of each agent, or null where the gateway does not say. */
export async function lastRequests(world: World, url: string): Promise<LastRequest[] | null> {
  const items = itemsOf(await ask(world, url, '/api/v1/connections', CALL_MS));
  return (
    items?.flatMap((item) => {
      const agent = textAt(item, 'agent');
      const lastSeenAt = textAt(item, 'lastSeenAt');
      if (agent === null || lastSeenAt === null) return [];
      return [
        {
          agent,
          lastSeenAt,
          requests: numberAt(item, 'requests') ?? 0,
          lastStatus: numberAt(item, 'lastStatus'),
        },
      ];
    }) ?? null
  );
}

/** The sessions seen within the last hour, or null where the gateway does not say. */
export async function openSessions(world: World, url: string): Promise<OpenSession[] | null> {
  const items = itemsOf(await ask(world, url, `/api/v1/sessions?limit=50`, CALL_MS));
  return (
    items?.flatMap((item) => {
      const lastSeenAt = textAt(item, 'lastSeenAt');
      if (lastSeenAt === null || !(Date.parse(lastSeenAt) > world.now() - HOUR_MS)) return [];
      return [{ agent: textAt(item, 'agent') ?? 'unknown', title: textAt(item, 'title') ?? '', lastSeenAt }];
    }) ?? null
  );
}

/** How many requests came since a moment (`atLeast` where there are more than were counted), or null. */
export async function requestsSince(
  world: World,
  url: string,
  since: number,
): Promise<{ count: number; atLeast: boolean } | null> {
  let count = 0;
  let cursor = '';
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await ask(world, url, `/api/v1/requests?limit=${PAGE}${cursor}`, CALL_MS);
    const items = itemsOf(answer);
    if (items === null) return null;
    const recent = items.filter((item) => Date.parse(textAt(item, 'receivedAt') ?? '') >= since).length;
    count += recent;
    const next = textAt(answer?.body, 'next');
    if (next === null || recent < items.length) return { count, atLeast: false };
    cursor = `&cursor=${encodeURIComponent(next)}`;
  }
  return { count, atLeast: true };
}

/** The address that opens the console in a browser: a link that works once where the gateway needs its key. */
export async function consoleAddress(world: World, url: string): Promise<string | null> {
  const headers = await keyHeaders(world, url);
  const answer = await world.post(`${url}/api/v1/console-links`, CALL_MS, headers);
  return answer?.status === 200 ? textAt(answer.body, 'url') : null;
}

/** The ids of all sessions, last seen first. @throws CliFailure `noGateway` where the gateway stops answering */
export async function sessionIds(world: World, url: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ''; ; ) {
    const answer = await ask(world, url, `/api/v1/sessions?limit=${PAGE}${cursor}`, CALL_MS);
    const items = itemsOf(answer);
    if (items === null) throw silent(url);
    ids.push(...items.flatMap((item) => textAt(item, 'id') ?? []));
    const next = textAt(answer?.body, 'next');
    if (next === null) return ids;
    cursor = `&cursor=${encodeURIComponent(next)}`;
  }
}

/** Writes a session behind what a file holds, or into a new one. @throws CliFailure where it cannot be had */
export async function exportSession(
  world: World,
  url: string,
  id: string,
  target: { readonly file: string; readonly append: boolean },
): Promise<void> {
  const address = `${url}/api/v1/export/session?id=${encodeURIComponent(id)}`;
  const headers = await keyHeaders(world, url);
  checked(url, await world.download(address, target.file, target, headers));
}

/** The file that holds the archive's key, as text. @throws CliFailure where it cannot be had */
export async function exportKey(world: World, url: string): Promise<string> {
  const headers = await keyHeaders(world, url);
  const { body } = checked(url, await world.post(`${url}/api/v1/keys/export`, CALL_MS, headers));
  return `${JSON.stringify(body, null, 2)}\n`;
}

/** Gives the archive a key from a file. @throws CliFailure where it does not take it */
export async function importKey(world: World, url: string, file: string): Promise<void> {
  const headers = await keyHeaders(world, url);
  checked(url, await world.upload(`${url}/api/v1/keys/import`, file, 'application/json', headers));
}

/** A hit of a search, as far as it is shown. */
export interface FoundText {
  readonly docid: string;
  readonly at: string;
  readonly kind: string;
  readonly sessionTitle: string;
  readonly snippet: string;
}

/** The first hits of a search, and the answer as the gateway gave it. @throws CliFailure where it gives none */
export async function searchArchive(
  world: World,
  url: string,
  query: Readonly<Record<string, string>>,
): Promise<{
  readonly hits: readonly FoundText[];
  readonly notes: readonly string[];
  readonly answer: unknown;
}> {
  const path = `/api/v1/search?${new URLSearchParams(query)}`;
  const { body } = checked(url, await ask(world, url, path, SEARCH_MS));
  const [items, notes] = [fieldOf(body, 'items'), fieldOf(body, 'notes')];
  const hits = (Array.isArray(items) ? items : []).map((item) => ({
    docid: textAt(item, 'docid') ?? '',
    at: textAt(item, 'at') ?? '',
    kind: textAt(item, 'kind') ?? '',
    sessionTitle: textAt(item, 'sessionTitle') ?? '',
    snippet: textAt(fieldOf(item, 'snippet'), 'text') ?? '',
  }));
  return { hits, notes: (Array.isArray(notes) ? notes : []).map(String), answer: body };
}

/** A part of a document: its input and text, how long the text is, and the answer as it came. @throws CliFailure */
export async function readDocument(
  world: World,
  url: string,
  docid: string,
  part: { readonly offset: number; readonly length: number },
): Promise<{
  readonly input: string | null;
  readonly text: string;
  readonly length: number;
  readonly answer: unknown;
}> {
  const path = `/api/v1/documents/${encodeURIComponent(docid)}?offset=${part.offset}&length=${part.length}`;
  const { body } = checked(url, await ask(world, url, path, CALL_MS));
  return {
    input: textAt(body, 'input'),
    text: textAt(body, 'text') ?? '',
    length: numberAt(body, 'length') ?? 0,
    answer: body,
  };
}

/** What became of a session that was imported. */
export interface Imported {
  readonly id: string;
  readonly title: string;
  readonly state: string;
  readonly events: number;
}

/** Gives the archive the sessions of a file. @throws CliFailure where it does not take all of them */
export async function importSessions(
  world: World,
  url: string,
  file: string,
  options: { readonly foreign: boolean },
): Promise<Imported[]> {
  const headers = await keyHeaders(world, url);
  const address = `${url}/api/v1/import${options.foreign ? '?foreign=true' : ''}`;
  const answer = checked(url, await world.upload(address, file, 'application/x-ndjson', headers));
  const sessions = fieldOf(answer.body, 'sessions');
  return (Array.isArray(sessions) ? sessions : []).map((one) => ({
    id: textAt(one, 'id') ?? '',
    title: textAt(one, 'title') ?? '',
    state: textAt(one, 'state') ?? '',
    events: numberAt(one, 'events') ?? 0,
  }));
}

/** An answer that is well; what the gateway says of any other is told as it says it. */
export function checked(url: string, answer: HttpAnswer | null): HttpAnswer {
  if (answer === null) throw silent(url);
  if (answer.status === 200) return answer;
  const error = fieldOf(answer.body, 'error');
  throw new CliFailure(
    EXIT.refused,
    textAt(error, 'message') ?? `The gateway at ${url} answered ${answer.status}.`,
    textAt(error, 'hint') ?? 'Run "context-mode doctor", or read its log in the data folder.',
  );
}

function silent(url: string): CliFailure {
  return new CliFailure(EXIT.noGateway, `The gateway at ${url} stopped answering.`, START_IT);
}

/** Asks the gateway for a path; null: no answer. Never throws. */
export async function ask(
  world: World,
  url: string,
  path: string,
  timeoutMs: number,
): Promise<HttpAnswer | null> {
  return world.get(url + path, timeoutMs, await keyHeaders(world, url));
}

/** The local key is shown to the gateway that wrote into the same data folder and lives, and to nobody else. */
export async function keyHeaders(world: World, url: string): Promise<HttpHeaders> {
  const running = await readGatewayFile(world);
  if (running === null || !isSameLoopback(running.url, url) || !world.lives(running.pid)) return {};
  const key = await readLocalKey(world);
  return key === null ? {} : { [KEY_HEADER]: key };
}

/** Names are compared as they are: `localhost` may lead to another program than the address that it stands for. */
function isSameLoopback(one: string, other: string): boolean {
  const [a, b] = [new URL(one), new URL(other)];
  return a.host === b.host && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(a.hostname);
}

/** Every answer of the gateway's API carries its request id, errors too. */
function isOurs(answer: HttpAnswer | null): boolean {
  return answer?.headers.has('x-context-mode-request-id') ?? false;
}

function aboutOf(body: unknown): About {
  const upstreams = fieldOf(body, 'upstreams');
  const entries = typeof upstreams === 'object' && upstreams !== null ? Object.entries(upstreams) : [];
  const mode = textAt(body, 'mode');
  return {
    version: textAt(body, 'version'),
    keyNeeded: fieldOf(body, 'keyNeeded') === true,
    mode: mode === 'local' || mode === 'hosted' ? mode : null,
    upstreams: Object.fromEntries(
      entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    ),
  };
}

function itemsOf(answer: HttpAnswer | null): unknown[] | null {
  const items = answer?.status === 200 ? fieldOf(answer.body, 'items') : null;
  return Array.isArray(items) ? items : null;
}

/** A field of an answer, whatever it is. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** A text in an answer, else null. */
export function textAt(value: unknown, name: string): string | null {
  const field = fieldOf(value, name);
  return typeof field === 'string' ? field : null;
}

/** A field that is a number, else null. */
export function numberAt(value: unknown, name: string): number | null {
  const field = fieldOf(value, name);
  return typeof field === 'number' ? field : null;
}
