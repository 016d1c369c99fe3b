import { breathe } from '../kernel/breath.ts';
import type { Finding } from './types.ts';

interface Pattern {
  readonly type: string;
  /** Global; the secret is the group named `secret`, or the whole match. Quantifiers are bounded: no backtracking traps. */
  readonly regex: RegExp;
  /** A second look at what matched; false lets it pass as harmless. */
  readonly accept?: (secret: string) => boolean;
}

/** Tokens that are told by their own form. Also looked for across wrapped lines, so each must be strict by itself. */
export const tokenPatterns: readonly Pattern[] = [
  { type: 'github_token', regex: /\b(?:gh[pousr]_[A-Za-z0-9]{36,251}|github_pat_[A-Za-z0-9_]{60,251})\b/dg },
  { type: 'anthropic_key', regex: /\bsk-ant-[A-Za-z0-9_-]{24,200}/dg },
  {
    type: 'openai_key',
    regex: /\bsk-(?!ant-)(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{32,200}/dg,
    accept: hasLetterAndDigit,
  },
  {
    type: 'stripe_key',
    regex: /\b(?:[sr]k_(?:live|test)_[A-Za-z0-9]{16,247}|whsec_[A-Za-z0-9+/=]{24,100})/dg,
  },
  { type: 'aws_access_key', regex: /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b/dg },
  { type: 'google_key', regex: /\bAIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/dg },
  { type: 'google_oauth', regex: /\b(?:ya29\.[A-Za-z0-9_-]{20,500}|GOCSPX-[A-Za-z0-9_-]{28})/dg },
  { type: 'slack_token', regex: /\bxox[abeoprs]-[A-Za-z0-9-]{10,250}/dg },
  {
    type: 'slack_webhook',
    regex: /https:\/\/hooks\.slack\.com\/(?<secret>services\/[A-Za-z0-9/]{20,120})/dg,
  },
  { type: 'gitlab_token', regex: /\bgl(?:pat|dt|rt|soat|ptt)-[A-Za-z0-9_-]{20,100}/dg },
  { type: 'npm_token', regex: /\bnpm_[A-Za-z0-9]{36}\b/dg },
  { type: 'huggingface_token', regex: /\bhf_[A-Za-z0-9]{30,60}\b/dg },
  { type: 'sendgrid_key', regex: /\bSG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}/dg },
  { type: 'twilio_key', regex: /\bSK[0-9a-f]{32}\b/dg },
  { type: 'telegram_token', regex: /\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/dg },
  { type: 'vault_token', regex: /\bhv[sbr]\.[A-Za-z0-9_-]{24,200}/dg },
  { type: 'digitalocean_token', regex: /\bdo[opr]_v1_[0-9a-f]{64}\b/dg },
  { type: 'pypi_token', regex: /\bpypi-AgE[A-Za-z0-9_-]{50,500}/dg },
  { type: 'xai_key', regex: /\bxai-[A-Za-z0-9]{60,120}\b/dg },
  { type: 'supabase_token', regex: /\bsb[pv]_[0-9a-f]{40}\b/dg },
  { type: 'age_key', regex: /\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b/dg },
  { type: 'figma_token', regex: /\bfig[dru]_[A-Za-z0-9_-]{36,100}/dg },
  { type: 'atlassian_token', regex: /\bAT[AC]TT3[A-Za-z0-9_=-]{30,400}/dg },
  { type: 'postman_key', regex: /\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}\b/dg },
  { type: 'sentry_token', regex: /\bsntry[su]_[A-Za-z0-9_+/=-]{40,400}/dg },
  { type: 'notion_token', regex: /\b(?:ntn|secret)_[A-Za-z0-9]{40,60}\b/dg, accept: hasLetterAndDigit },
  {
    type: 'discord_webhook',
    regex: /\bdiscord(?:app)?\.com\/api\/webhooks\/(?<secret>[0-9]{15,25}\/[A-Za-z0-9_-]{50,100})/dg,
  },
  { type: 'gateway_key', regex: /\bcm[kl]_[A-Za-z0-9_-]{20,120}/dg },
  { type: 'jwt', regex: /\beyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{16,2000}/dg },
];

/**
 * The type of every secret that its surroundings alone tell: one secret has one mask, whether it stands in an address,
 * a file of variables or a header.
 */
export const SECRET = 'secret';

const secretName =
  'pass(?:word|wd|phrase)?|pwd|secret|token|api_?key|private_?key|access_?key|auth_?key|credential|client_?secret|(?:encryption|signing|master|hmac)_?key';

const NAMES = secretName.toUpperCase();

/** A variable in capitals whose last words are one of these names (and `tail`), `blank` around the sign, and its value. */
function variable(names: string, tail: string, blank: string): RegExp {
  const value = `(?:"(?<secret>[^"\\n]{6,2000})"|'(?<secret2>[^'\\n]{6,2000})'|(?<=[^ \\t=]=)(?<secret3>[^\\s"'\`]{6,2000}))`;
  return new RegExp(
    `(?<![A-Za-z0-9])(?:[A-Z][A-Z0-9]{0,40}_){0,6}(?:PG)?(?:${names})S?${tail}${blank}=${blank}${value}`,
    'gd',
  );
}

/** Secrets that are told by the words around them. */
const contextPatterns: readonly Pattern[] = [
  {
    type: 'private_key',
    regex:
      /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:(?:(?!-----BEGIN )[\s\S]){16,100000}?-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----|[\s\\rn0-9→|:+>"',]{0,40}[A-Za-z0-9+/=]{24}[A-Za-z0-9+/=\s\\→|:>"',]{0,100000})/dg,
  },
  {
    type: SECRET,
    regex:
      /\b[a-z][a-z0-9+.-]{1,30}:\/\/[^\s/@:"'`<>]{0,200}:(?<secret>[^\s/"'`<>]{1,300})@(?=[A-Za-z0-9[_-])/dgi,
    accept: isValue,
  },
  {
    type: SECRET,
    regex:
      /\b(?:proxy-)?authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:bearer|basic|token|digest)\s{1,4}(?<secret>[A-Za-z0-9._~+/=-]{8,4000})/dgi,
    accept: isValue,
  },
  {
    type: SECRET,
    regex: /\bbearer\s{1,4}(?<secret>[A-Za-z0-9._~+/=-]{20,4000})/dgi,
    accept: hasLetterAndDigit,
  },
  {
    type: SECRET,
    regex:
      /\b(?:x-)?(?:api|auth|access|secret)[-_](?:key|token)["']?\s{0,4}:\s{0,4}["']?(?<secret>[A-Za-z0-9._~+/=-]{12,400})/dgi,
    accept: hasLetterAndDigit,
  },
  {
    type: SECRET,
    regex: /\bcurl\b[^\n]{0,400}?\s(?:-u|--user)\s{0,2}["']?[^\s:"']{1,100}:(?<secret>[^\s"']{3,200})/dgi,
    accept: isValue,
  },
  {
    type: SECRET,
    regex: /\b(?:AccountKey|SharedAccessKey|SharedAccessSignature)=(?<secret>[A-Za-z0-9+/=%&_-]{20,400})/dg,
  },
  {
    type: SECRET,
    regex: /;\s{0,4}(?:password|pwd)\s{0,2}=\s{0,2}(?<secret>[^;\s"']{3,200})/dgi,
    accept: isValue,
  },
  {
    // ?api_key=value&…, as in an address.
    type: SECRET,
    regex:
      /[?&;](?:[a-z0-9]{1,20}[_-]){0,3}(?:(?:api|access|auth)?key|(?:id|access|auth|refresh)?token|secret|password|passwd|sig|signature)=(?<secret>[^\s&"'`<>#;]{8,2000})/dgi,
    accept: hasLetterAndDigit,
  },
  {
    type: SECRET,
    regex:
      /\bcookie["']?[ \t]{0,4}:[ \t]{0,4}["']?(?<secret>[\w!#$%&*+.^|~-]{1,80}=[^\s"'`\\][^\n"'`\\]{7,8000})/dgi,
    accept: hasLetterAndDigit,
  },
  {
    // machine host login name password value, as in a .netrc file.
    type: SECRET,
    regex:
      /\b(?:machine\s{1,8}\S{1,200}|default)\s{1,8}login\s{1,8}\S{1,200}\s{1,8}password\s{1,8}(?<secret>\S{3,400})/dg,
    accept: isValue,
  },
  {
    // A secret as an argument of its own: --password value, sshpass -p value.
    type: SECRET,
    regex:
      /(?:(?<![\w-])--(?:[a-z]{1,20}-){0,3}(?:password|passwd|token|secret|api-?key)|\bsshpass\s{1,4}-p|\blogin\b[^\n]{0,200}?\s-p)\s{1,4}["']?(?<secret>[^\s"'`-][^\s"'`]{5,400})/dg,
    accept: isStrongValue,
  },
  {
    // \"password\": \"value\", as JSON stands inside a text of JSON.
    type: SECRET,
    regex: new RegExp(
      `(?:${secretName})\\\\{1,7}["'][ \\t]{0,4}[:=][ \\t]{0,4}\\\\{1,7}["'](?<secret>[^"'\\\\\\s]{6,2000})(?=\\\\{1,7}["'])`,
      'gid',
    ),
    accept: isStrongValue,
  },
  {
    // name: DB_PASSWORD, value: …, as lists of variables are written.
    type: SECRET,
    regex: new RegExp(
      `\\bname["']?[ \\t]{0,4}[:=][ \\t]{0,4}["']?[A-Z][A-Z0-9_]{0,60}?(?:${secretName})["']?,?\\s{1,40}["']?value["']?[ \\t]{0,4}[:=][ \\t]{0,4}["']?(?<secret>[^\\s"'\`,]{6,2000})`,
      'gid',
    ),
    accept: isStrongValue,
  },
  // NAME_WITH_SECRET=value, as in a .env file or a shell command; PASSWORD = "value"; and what has a longer name.
  { type: SECRET, regex: variable(NAMES, '', ''), accept: isValue },
  { type: SECRET, regex: variable('PASS(?:WORD|WD|PHRASE)?|PWD', '', '[ \\t]{0,4}'), accept: isValue },
  {
    type: SECRET,
    regex: variable(NAMES, '(?:_[A-Z0-9]{1,40}){0,4}', '[ \\t]{0,4}'),
    accept: isStrongValue,
  },
  {
    // "password": "value", apiKey = 'value', password: value1 — quoted, or plain with letters and digits.
    type: SECRET,
    regex: new RegExp(
      `(?:${secretName})["']?[ \\t]{0,4}(?::|=>?|:=)[ \\t]{0,4}(?:"(?<secret>[^"\\n\\s]{8,2000})"|'(?<secret2>[^'\\n\\s]{8,2000})'|(?<secret3>[A-Za-z0-9+/_!#%^&*~-]{8,2000}={0,2})(?=[\\s,;]|$))`,
      'gid',
    ),
    accept: isStrongValue,
  },
];

/** All secrets that the project's own patterns see in a text; spans may overlap. */
export function findByPattern(
  text: string,
  patterns: readonly Pattern[] = tokenPatterns.concat(contextPatterns),
): Finding[] {
  const findings: Finding[] = [];
  for (const { type, regex, accept } of patterns) {
    for (const match of text.matchAll(regex)) {
      const groups = match.indices?.groups;
      const span = groups?.secret ?? groups?.secret2 ?? groups?.secret3 ?? match.indices?.[0];
      if (span === undefined) continue;
      const [start] = span;
      const end = start + withoutTail(text.slice(...span)).length;
      if (accept === undefined || accept(text.slice(start, end))) findings.push({ start, end, type });
    }
  }
  return findings;
}

/** Characters from which on others get their turn between one pattern and the next. */
const LONG = 100_000;

/** The same as {@link findByPattern}, with pauses for others where the text is long. */
export async function findInTurns(
  text: string,
  patterns: readonly Pattern[] = tokenPatterns.concat(contextPatterns),
): Promise<readonly Finding[]> {
  if (text.length < LONG) return findByPattern(text, patterns);
  const findings: Finding[] = [];
  for (const pattern of patterns) {
    for (const finding of findByPattern(text, [pattern])) findings.push(finding);
    await breathe();
  }
  return findings;
}

/** What a sentence, a call or an object puts right behind a value is not a part of it. */
function withoutTail(secret: string): string {
  return secret.replace(/[),;\]}]{1,8}$/, '');
}

const secretNameOnly = new RegExp(
  `^(?:[A-Za-z0-9]{1,40}[_-]){0,6}[A-Za-z0-9]{0,40}?(?:${secretName})s?$`,
  'i',
);

/** True if a text is nothing but the name of a secret: `DB_PASSWORD`, `clientSecret`. */
export function isSecretName(name: string): boolean {
  return name.length <= 120 && secretNameOnly.test(name);
}

const headerName = /^(?:proxy-)?authorization$|^(?:set-)?cookie$/i;

/** The secret in a JSON object's value, told by the key beside it; null: the key names none, or the value is none. */
export function secretInPair(key: string, value: string): Finding | null {
  if (value.length < 6 || value.length > 4000) return null;
  if (headerName.test(key)) {
    const start = /^(?:bearer|basic|token|digest)\s+/i.exec(value)?.[0].length ?? 0;
    const isSecret = value.length - start >= 8 && isValue(value.slice(start));
    return isSecret ? { start, end: value.length, type: SECRET } : null;
  }
  if (!isSecretName(key) || /\s/.test(value) || !isStrongValue(value)) return null;
  return { start: 0, end: value.length, type: SECRET };
}

const placeholder =
  /^(?:\$|%|<|\{|\[|process\.env|os\.environ|import\.meta|env[.(]|var\.|secrets?\.|config\.|your|my[-_]|example|changeme|change[-_]me|replace|dummy|placeholder|redacted|undefined|null|none|true|false|string|boolean|number|(?:big)?u?int\d+|float\d+|utf-?8|base64|sha-?\d+|[\d_.,;]+$|\*+$|x+$|\.+$|-+$)/i;

/** Not a placeholder, a variable or a word that only names a type. */
function isValue(secret: string): boolean {
  return (
    !placeholder.test(secret) &&
    !/^\[?masked:/.test(secret) &&
    !/[({]/.test(secret.slice(0, 40).replace(/^[^({]{12,}/, ''))
  );
}

function hasLetterAndDigit(secret: string): boolean {
  return isValue(secret) && /[A-Za-z]/.test(secret) && /[0-9]/.test(secret);
}

/** The name of a type or a constant that holds a digit: `AuthenticationMD5Password`. */
const identifier = /^(?:[A-Z][a-z]{2,}|[A-Z]{2,4}\d?){2,}$/;

/** A value that reads like a secret and not like a word, a path, a call or a version. */
function isStrongValue(secret: string): boolean {
  return (
    hasLetterAndDigit(secret) &&
    !identifier.test(secret) &&
    !/^[./~@]|^https?:|^v?\d+\.\d+|\.(?:[cm]?[jt]sx?|json|pem|py|ya?ml)$/i.test(secret)
  );
}
