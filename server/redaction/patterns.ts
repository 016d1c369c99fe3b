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
  { type: 'gateway_key', regex: /\bcmk_[A-Za-z0-9_-]{20,120}/dg },
  { type: 'jwt', regex: /\beyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{16,2000}/dg },
];

const secretName =
  'pass(?:word|wd|phrase)?|pwd|secret|token|api_?key|private_?key|access_?key|auth_?key|credential|client_?secret';

/** Secrets that are told by the words around them. */
const contextPatterns: readonly Pattern[] = [
  {
    type: 'private_key',
    regex:
      /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[\s\S]{16,20000}?-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----|(?:[A-Za-z0-9+/=\s\\→|:]{16,20000}))/dg,
  },
  {
    type: 'url_password',
    regex:
      /\b[a-z][a-z0-9+.-]{1,30}:\/\/[^\s/@:"'`<>]{0,200}:(?<secret>[^\s/@"'`<>]{1,300})@(?=[A-Za-z0-9[_-])/dgi,
    accept: isValue,
  },
  {
    type: 'authorization',
    regex:
      /\b(?:proxy-)?authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:bearer|basic|token|digest)\s{1,4}(?<secret>[A-Za-z0-9._~+/=-]{8,4000})/dgi,
    accept: isValue,
  },
  {
    type: 'authorization',
    regex: /\bbearer\s{1,4}(?<secret>[A-Za-z0-9._~+/=-]{20,4000})/dgi,
    accept: hasLetterAndDigit,
  },
  {
    type: 'api_key',
    regex:
      /\b(?:x-)?(?:api|auth|access|secret)[-_](?:key|token)["']?\s{0,4}:\s{0,4}["']?(?<secret>[A-Za-z0-9._~+/=-]{12,400})/dgi,
    accept: hasLetterAndDigit,
  },
  {
    type: 'basic_auth',
    regex: /\bcurl\b[^\n]{0,400}?\s(?:-u|--user)\s{0,2}["']?[^\s:"']{1,100}:(?<secret>[^\s"']{3,200})/dgi,
    accept: isValue,
  },
  {
    type: 'azure_key',
    regex: /\b(?:AccountKey|SharedAccessKey|SharedAccessSignature)=(?<secret>[A-Za-z0-9+/=%&_-]{20,400})/dg,
  },
  {
    type: 'connection_password',
    regex: /;\s{0,4}(?:password|pwd)\s{0,2}=\s{0,2}(?<secret>[^;\s"']{3,200})/dgi,
    accept: isValue,
  },
  {
    // NAME_WITH_SECRET=value, as in a .env file or a shell command.
    type: 'env_secret',
    regex: new RegExp(
      `(?<![A-Za-z0-9])(?:[A-Z][A-Z0-9]{0,40}_){0,6}(?:${secretName.toUpperCase()})S?(?:_[A-Z0-9]{1,40}){0,4}[ \\t]{0,4}=[ \\t]{0,4}(?:"(?<secret>[^"\\n]{6,2000})"|'(?<secret2>[^'\\n]{6,2000})'|(?<secret3>[^\\s"'\`]{6,2000}))`,
      'gd',
    ),
    accept: isValue,
  },
  {
    // "password": "value", apiKey = 'value', password: value1 — quoted, or plain with letters and digits.
    type: 'named_secret',
    regex: new RegExp(
      `(?<![A-Za-z0-9])["']?(?:[A-Za-z][A-Za-z0-9]{0,40}[_-]?){0,3}(?:${secretName})["']?[ \\t]{0,4}(?::|=>?|:=)[ \\t]{0,4}(?:"(?<secret>[^"\\n\\s]{8,2000})"|'(?<secret2>[^'\\n\\s]{8,2000})'|(?<secret3>[A-Za-z0-9+/_!#%^&*~-]{8,2000}={0,2})(?=[\\s,;]|$))`,
      'gid',
    ),
    accept: isStrongValue,
  },
];

/** All secrets that the project's own patterns see in a text; spans may overlap. */
export function findByPattern(
  text: string,
  patterns: readonly Pattern[] = contextPatterns.concat(tokenPatterns),
): Finding[] {
  const findings: Finding[] = [];
  for (const { type, regex, accept } of patterns) {
    for (const match of text.matchAll(regex)) {
      const groups = match.indices?.groups;
      const span = groups?.secret ?? groups?.secret2 ?? groups?.secret3 ?? match.indices?.[0];
      if (span === undefined) continue;
      const [start, end] = span;
      if (accept === undefined || accept(text.slice(start, end))) findings.push({ start, end, type });
    }
  }
  return findings;
}

const secretNameOnly = new RegExp(
  `^(?:[A-Za-z0-9]{1,40}[_-]){0,6}[A-Za-z0-9]{0,40}?(?:${secretName})s?$`,
  'i',
);

/** True if a JSON object's key names a secret and the value beside it looks like one. */
export function isSecretPair(key: string, value: string): boolean {
  return (
    key.length <= 120 &&
    secretNameOnly.test(key) &&
    value.length >= 6 &&
    value.length <= 4000 &&
    !/\s/.test(value) &&
    isStrongValue(value)
  );
}

const placeholder =
  /^(?:\$|%|<|\{|\[|process\.env|os\.environ|import\.meta|env[.(]|var\.|secrets?\.|config\.|your|my[-_]|example|changeme|change[-_]me|replace|dummy|placeholder|redacted|undefined|null|none|true|false|string|boolean|number|\*+$|x+$|\.+$|-+$)/i;

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

/** A value that reads like a secret and not like a word, a path, a call or a version. */
function isStrongValue(secret: string): boolean {
  return (
    hasLetterAndDigit(secret) &&
    !/^[./~@]|^https?:|^v?\d+\.\d+|\.(?:[cm]?[jt]sx?|json|pem|py|ya?ml)$/i.test(secret)
  );
}
