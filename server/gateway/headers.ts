/** Header names and values in turn, as they stood on the wire: order, case and duplicates kept, latin1 text. */
export type RawHeaders = readonly string[];

/** Headers that belong to one hop and are never passed on (RFC 9110 7.6.1, with the older `Proxy-Connection`). */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Of a request also those that the next connection sets itself: its host, its framing, its own expectation. */
const SET_PER_CONNECTION: ReadonlySet<string> = new Set(['host', 'content-length', 'expect']);

const OWN_PREFIX = 'x-context-mode';

/** Content codings that the gateway can decode when it reads an answer for the archive. */
const DECODABLE: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'br', 'deflate', 'zstd', 'identity']);

/** The first value of a header, null without one. `name` in lower case. */
export function headerOf(raw: RawHeaders, name: string): string | null {
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const given = raw[at];
    if (given !== undefined && given.length === name.length && given.toLowerCase() === name) {
      return raw[at + 1] ?? null;
    }
  }
  return null;
}

/** Every value of a header, in order. `name` in lower case. */
export function headersOf(raw: RawHeaders, name: string): readonly string[] {
  const values: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    if (raw[at]?.toLowerCase() === name) values.push(raw[at + 1] ?? '');
  }
  return values;
}

/** The header names that `Connection` lists, in lower case; null without that header. */
function namedByConnection(raw: RawHeaders): ReadonlySet<string> | null {
  let names: Set<string> | null = null;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    if (raw[at]?.length !== 10 || raw[at]?.toLowerCase() !== 'connection') continue;
    names ??= new Set();
    for (const token of (raw[at + 1] ?? '').split(',')) names.add(token.trim().toLowerCase());
  }
  return names;
}

/**
 * What of a client's headers goes upstream: everything in its order, case and number, less what belongs to this
 * connection and less our own. Nothing is added. `Accept-Encoding` keeps only codings that we can decode too.
 */
export function headersForUpstream(raw: RawHeaders): string[] {
  const named = namedByConnection(raw);
  const kept: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? '';
    const value = raw[at + 1] ?? '';
    const lower = name.toLowerCase();
    if (HOP_BY_HOP.has(lower) || SET_PER_CONNECTION.has(lower)) continue;
    if (lower.startsWith(OWN_PREFIX) || named?.has(lower)) continue;
    kept.push(name, lower === 'accept-encoding' ? decodableOf(value) : value);
  }
  return kept;
}

/** Takes codings that we cannot decode out of an `Accept-Encoding` value; a value of known ones stays as it is. */
export function decodableOf(value: string): string {
  const tokens = value.split(',');
  const kept = tokens.filter((token) => {
    const coding = token.split(';')[0]?.trim().toLowerCase() ?? '';
    return coding === '' || DECODABLE.has(coding);
  });
  if (kept.length === tokens.length) return value;
  const rest = kept.join(',').trim();
  return rest === '' ? 'identity' : rest;
}

/**
 * What of an upstream's headers goes to the client, less what belongs to that connection, with our two at the end.
 * @param did what was done with the request (`pass`)
 */
export function headersForClient(raw: RawHeaders, requestId: string, did: string): string[] {
  const named = namedByConnection(raw);
  const kept: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? '';
    const lower = name.toLowerCase();
    if (HOP_BY_HOP.has(lower) || lower.startsWith(OWN_PREFIX) || named?.has(lower)) continue;
    kept.push(name, raw[at + 1] ?? '');
  }
  kept.push('x-context-mode-request-id', requestId, 'x-context-mode', did);
  return kept;
}

/** Names that carry credentials, whoever made them up: the known ones, and what ends like one. */
const CREDENTIAL = /(^|[-_])(api-?key|key|token|secret|password|authorization|cookie2?|credentials?)$/i;

/** Headers as pairs, less every credential and less our own: what may be looked at, logged or archived. */
export function withoutCredentials(raw: RawHeaders): readonly (readonly [name: string, value: string])[] {
  const pairs: (readonly [string, string])[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? '';
    if (CREDENTIAL.test(name) || name.toLowerCase().startsWith(`${OWN_PREFIX}-key`)) continue;
    pairs.push([name, raw[at + 1] ?? '']);
  }
  return pairs;
}

/** A path and query with the values of credential-like parameters (`?key=…`) replaced by `***`. */
export function targetWithoutCredentials(target: string): string {
  const query = target.indexOf('?');
  if (query === -1) return target;
  const parts = target.slice(query + 1).split('&');
  const masked = parts.map((part) => {
    const equals = part.indexOf('=');
    return equals > 0 && CREDENTIAL.test(part.slice(0, equals)) ? `${part.slice(0, equals)}=***` : part;
  });
  return `${target.slice(0, query)}?${masked.join('&')}`;
}
