import { applyMasks, findSecrets, maskOf } from './mask.ts';
import { isSecretPair } from './patterns.ts';
import type { Finding, Masked } from './types.ts';

const stringToken = /"(?:[^"\\]|\\[\s\S])*"/g;
/** Between strings that are looked at together: nothing matches across it. */
const gap = '\n\u0000\n';

interface Token {
  readonly start: number;
  readonly end: number;
  readonly value: string;
  readonly key: string | null;
  /** Where the decoded value stands in the text that is searched. */
  readonly at: number;
}

/**
 * Masks the string values (and keys) of a JSON text as their decoded text reads, so that an escape never hides or
 * changes a secret. Everything else keeps its bytes; a string without findings does too. Text that is not JSON is
 * treated token by token all the same.
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
    while (next < findings.length && (findings[next]?.start ?? Infinity) < end) {
      const finding = findings[next++];
      if (finding !== undefined && finding.end <= end) {
        inside.push({ ...finding, start: finding.start - token.at, end: finding.end - token.at });
      }
    }
    const masked = maskToken(token, inside, accountKey);
    if (masked === null) continue;
    for (const [type, count] of Object.entries(masked.counts)) counts[type] = (counts[type] ?? 0) + count;
    pieces.push(json.slice(from, token.start), JSON.stringify(masked.text));
    from = token.end;
  }
  pieces.push(json.slice(from));
  return { text: pieces.join(''), counts };
}

function maskToken(token: Token, findings: readonly Finding[], accountKey: Uint8Array): Masked | null {
  if (findings.length > 0) return applyMasks(token.value, findings, accountKey);
  if (token.key !== null && isSecretPair(token.key, token.value)) {
    return { text: maskOf(token.value, 'named_secret', accountKey), counts: { named_secret: 1 } };
  }
  return null;
}

function readTokens(json: string): readonly Token[] {
  const tokens: Token[] = [];
  let key: string | null = null;
  let at = 0;
  for (const match of json.matchAll(stringToken)) {
    const end = match.index + match[0].length;
    const value = decode(match[0]);
    const isKey = /^\s*:/.test(json.slice(end, end + 16));
    tokens.push({ start: match.index, end, value, key: isKey ? null : key, at });
    key = isKey ? value : null;
    at += value.length + gap.length;
  }
  return tokens;
}

function decode(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return token.slice(1, -1);
  }
}
