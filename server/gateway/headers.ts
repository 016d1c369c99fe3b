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

const OWN_PREFIX = 'x-context-mode';
/** What the names of the console's cookies begin with. */
const OWN_COOKIE = 'context-mode-';

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
    const given = raw[at];
    if (given !== undefined && given.length === name.length && given.toLowerCase() === name) {
      values.push(raw[at + 1] ?? '');
    }
  }
  return values;
}

/** What is done with a header, by its name: looked up once per name and kept, since the same few come always. */
type Treatment = 'keep' | 'drop' | 'connection' | 'host' | 'length' | 'chunks' | 'accept-encoding' | 'cookie';

const treatments = new Map<string, Treatment>();
/** Names that are remembered; clients that make names up are looked up each time. */
const MAX_TREATMENTS = 1_000;

function treatmentOf(name: string): Treatment {
  const known = treatments.get(name);
  if (known !== undefined) return known;
  const lower = name.toLowerCase();
  let treatment: Treatment = 'keep';
  if (lower === 'connection') treatment = 'connection';
  else if (lower === 'transfer-encoding') treatment = 'chunks';
  else if (HOP_BY_HOP.has(lower) || lower.startsWith(OWN_PREFIX) || lower === 'expect') treatment = 'drop';
  else if (lower === 'host') treatment = 'host';
  else if (lower === 'content-length') treatment = 'length';
  else if (lower === 'accept-encoding') treatment = 'accept-encoding';
  else if (lower === 'cookie') treatment = 'cookie';
  if (treatments.size < MAX_TREATMENTS) treatments.set(name, treatment);
  return treatment;
}

/** Takes out what a `Connection` value names beside `keep-alive` and `close`. */
function withoutNamed(headers: string[], connection: string): string[] {
  const names = new Set(connection.split(',').map((token) => token.trim().toLowerCase()));
  return headers.filter((_text, at) => !names.has(headers[at & ~1]?.toLowerCase() ?? ''));
}

const NAMES_NOTHING = /^\s*(keep-alive|close)\s*$/i;

/**
 * What of a client's headers goes upstream: everything in its order, case and number, less what belongs to this
 * connection and less our own headers and cookies. `Host` names the upstream, in its place. Nothing is added but a length where the body
 * came in chunks (in the place of `Transfer-Encoding`), and where a body may be expected and nothing says there is
 * none. `Accept-Encoding` keeps only codings that we can decode too.
 */
export function headersForUpstream(
  raw: RawHeaders,
  host: string,
  method: string,
  bodyBytes: number,
): string[] {
  let kept: string[] = [];
  let connection = '';
  let hosted = false;
  let sized = false;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? '';
    const value = raw[at + 1] ?? '';
    const treatment = treatmentOf(name);
    if (treatment === 'keep') kept.push(name, value);
    else if (treatment === 'accept-encoding') kept.push(name, decodableOf(value));
    else if (treatment === 'cookie') kept.push(...cookiesOfOthers(name, value));
    else if (treatment === 'connection') connection = connection === '' ? value : `${connection},${value}`;
    else if (treatment === 'host') {
      kept.push(name, host);
      hosted = true;
    } else if (treatment === 'length' || treatment === 'chunks') {
      if (!sized) kept.push(treatment === 'length' ? name : 'Content-Length', String(bodyBytes));
      sized = true;
    }
  }
  if (connection !== '' && !NAMES_NOTHING.test(connection)) {
    kept = withoutNamed(kept, connection.replace(/(^|,)\s*(host|content-length)\s*(?=,|$)/gi, '$1'));
  }
  if (!hosted) kept.unshift('Host', host);
  if (!sized && (bodyBytes > 0 || !WITHOUT_BODY.has(method))) kept.push('Content-Length', String(bodyBytes));
  return kept;
}

/** Methods that expect no body; requests of others have to say that there is none (RFC 9110, 8.6). */
const WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']);

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

/** Takes the console's own cookies out of a `Cookie` header, and the header where it holds no others. */
function cookiesOfOthers(name: string, value: string): readonly string[] {
  if (!value.includes(OWN_COOKIE)) return [name, value];
  const kept = value.split(';').filter((pair) => !pair.trimStart().startsWith(OWN_COOKIE));
  return kept.length === 0 ? [] : [name, kept.join(';').trim()];
}

/**
 * What of an upstream's headers goes to the client, less what belongs to that connection, with our two at the end.
 * @param did what was done with the request (`pass`)
 */
export function headersForClient(raw: RawHeaders, requestId: string, did: string): string[] {
  let kept: string[] = [];
  let connection = '';
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? '';
    const value = raw[at + 1] ?? '';
    const treatment = treatmentOf(name);
    if (treatment === 'connection') connection = connection === '' ? value : `${connection},${value}`;
    else if (treatment !== 'drop' && treatment !== 'chunks') kept.push(name, value);
  }
  if (connection !== '' && !NAMES_NOTHING.test(connection)) kept = withoutNamed(kept, connection);
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
