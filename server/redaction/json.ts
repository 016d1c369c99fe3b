import { type JsonString, jsonStrings, rawPlaces } from './json-strings.ts';
import { findSecrets, maskOf, maskText } from './mask.ts';
import { isSecretName, secretInPair } from './patterns.ts';
import type { Finding, Masked } from './types.ts';

/** Between strings that are looked at together. */
const gap = '\n\u0000\n';

interface Token extends JsonString {
  /** The key that this string is the value of. */
  readonly key: string | null;
  /** Where the value stands in the text that is searched. */
  readonly at: number;
}

/**
 * Masks the strings (values and keys) of a JSON text as their decoded text reads, so that an escape never hides or
 * changes a secret. Everything else keeps its bytes, also beside a mask. Of a text that is no JSON, or not all of it,
 * what stands outside of its strings is masked as text too.
 */
export async function maskJson(json: string, accountKey: Uint8Array): Promise<Masked> {
  const tokens = readTokens(json);
  const findings = await findSecrets(tokens.map((token) => token.value).join(gap));
  const counts: Record<string, number> = {};
  const pieces: string[] = [];
  let from = 0;
  let next = 0;
  for (const token of tokens) {
    const end = token.at + token.value.length;
    const inside: Finding[] = [];
    for (let finding = findings[next]; finding && finding.start < end; finding = findings[++next]) {
      inside.push(within(finding, token));
      // What goes on into the next string (a key that a list holds line by line) is masked there too.
      if (finding.end > end) break;
    }
    const found = inside.filter((one) => one.end > one.start);
    const named = found.length > 0 || token.key === null ? null : secretInPair(token.key, token.value);
    if (named !== null) found.push(named);
    if (found.length === 0) continue;
    pieces.push(json.slice(from, token.start + 1), maskRaw(json, token, found, accountKey));
    from = token.closed ? token.end - 1 : token.end;
    for (const { type } of found) counts[type] = (counts[type] ?? 0) + 1;
  }
  pieces.push(json.slice(from));
  const text = pieces.join('');
  if (isJson(json)) return { text, counts };
  const rest = await maskText(text, accountKey);
  for (const [type, count] of Object.entries(rest.counts)) counts[type] = (counts[type] ?? 0) + count;
  return { text: rest.text, counts };
}

/** The part of a finding that lies in a token, from the token's beginning. */
function within(finding: Finding, token: Token): Finding {
  return {
    type: finding.type,
    start: Math.max(0, finding.start - token.at),
    end: Math.min(token.value.length, finding.end - token.at),
  };
}

/** What stands between the token's quotes, masked, with every other byte as it was. */
function maskRaw(json: string, token: Token, found: readonly Finding[], accountKey: Uint8Array): string {
  const raw = json.slice(token.start + 1, token.closed ? token.end - 1 : token.end);
  const places = rawPlaces(
    raw,
    found.flatMap(({ start, end }) => [start, end]),
  );
  const pieces: string[] = [];
  let from = 0;
  for (const [index, { start, end, type }] of found.entries()) {
    pieces.push(raw.slice(from, places[2 * index]), maskOf(token.value.slice(start, end), type, accountKey));
    from = places[2 * index + 1] ?? raw.length;
  }
  pieces.push(raw.slice(from));
  return pieces.join('');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function readTokens(json: string): readonly Token[] {
  const tokens: Token[] = [];
  let key: string | null = null;
  /** The name that a list of variables gave last: `{"name": "DB_PASSWORD", "value": …}`. */
  let variable: string | null = null;
  let at = 0;
  for (const one of jsonStrings(json)) {
    const isKey = /^\s*:/.test(json.slice(one.end, one.end + 16));
    tokens.push({ ...one, key: isKey ? null : key === 'value' ? (variable ?? key) : key, at });
    if (!isKey && (key === 'name' || key === 'key')) variable = isSecretName(one.value) ? one.value : null;
    key = isKey ? one.value : null;
    at += one.value.length + gap.length;
  }
  return tokens;
}
