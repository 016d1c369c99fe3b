import type { Finding } from './types.ts';

/** Endings that look like a top-level domain and are a file's: `icon@2x.png`. */
const fileEndings = new Set(
  'png jpg jpeg gif svg webp ico js ts tsx jsx mjs cjs json css scss html htm lock tgz gz zip tar yml yaml toml txt log map woff ttf'.split(
    ' ',
  ),
);
const local = /[\p{L}\p{N}._%+'-]/u;
const domain = /(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}\p{L}{2,24}/uy;

/** The same as addresses of pages and forms write it: `ana%40example.org`. */
const inAddress =
  /(?<![\w.%+-])[A-Za-z0-9](?:[\w.+-]|%2[Bb]){0,63}%40((?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}[A-Za-z]{2,24})/g;

/** What stands before the password of an address: `scheme://user:`. Patterns of their own look for that one. */
const isPassword = /:\/\/[^\s/"'`<>]{0,200}:$/;

/**
 * E-mail addresses in a text. Not: `user@host:path` as scp writes it, `@scope/name`, `@decorator`, `name@1.2.3`,
 * file names with a density (`icon@2x.png`), the user part of an address (`https://user@host/`).
 */
export function findEmails(text: string): Finding[] {
  const findings: Finding[] = [];
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    let start = at;
    while (start > 0 && at - start < 64 && local.test(text.charAt(start - 1))) start--;
    while (start < at && /[.'%+-]/.test(text.charAt(start))) start++;
    if (start === at || /(?:\/\/|[$}])$/.test(text.slice(Math.max(0, start - 2), start))) continue;
    if (isPassword.test(text.slice(Math.max(0, start - 240), start))) continue;
    domain.lastIndex = at + 1;
    const host = domain.exec(text)?.[0];
    if (host === undefined) continue;
    const end = at + 1 + host.length;
    if (isAddress(host, text.slice(end, end + 2))) findings.push({ start, end, type: 'email' });
  }
  for (const match of text.matchAll(inAddress)) {
    const end = match.index + match[0].length;
    if (isAddress(match[1] ?? '', text.slice(end, end + 2)))
      findings.push({ start: match.index, end, type: 'email' });
  }
  return findings;
}

/** `host` behind the at sign, and the two characters that follow it. */
function isAddress(host: string, after: string): boolean {
  const labels = host.split('.');
  const ending = labels.at(-1)?.toLowerCase() ?? '';
  if (fileEndings.has(ending)) return false;
  if (!labels.slice(0, -1).some((label) => /\p{L}/u.test(label))) return false;
  return !/^:[^\s]/.test(after);
}
