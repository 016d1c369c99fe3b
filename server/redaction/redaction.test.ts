import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskJson, maskText } from './index.ts';

const key = new Uint8Array(32).fill(7);
const mask = async (text: string) => (await maskText(text, key)).text;

/** Made at run time, so that no scanner of this repository takes them for real ones. */
const letters = (length: number) =>
  randomBytes(length * 4)
    .toString('base64')
    .replace(/[^A-Za-z0-9]/g, '')
    .padEnd(length, 'q7')
    .slice(0, length - 2)
    .concat('x9');
const github = `ghp_${letters(36)}`;
const pem = (label: string) =>
  `-----BEGIN ${label}-----\n${Array.from({ length: 6 }, () => letters(64)).join('\n')}\n-----END ${label}-----`;

const secrets: readonly (readonly [string, string, string])[] = [
  ['a GitHub token in prose', `use ${github} for it`, github],
  ['an Anthropic key', `key sk-ant-api03-${'Ab3_'.repeat(24)} end`, 'Ab3_'.repeat(24)],
  ['an OpenAI project key', `OPENAI sk-proj-${'aB3x'.repeat(12)} end`, 'aB3x'.repeat(12)],
  ['a Stripe live key', `sk_live_${letters(24)}`, 'sk_live_'],
  ['an AWS access key id', 'id AKIAQYLPMN5HFIQR7XYA here', 'AKIAQYLPMN5HFIQR7XYA'],
  ['a Google API key', `AIza${'SyD4x_-'.repeat(5)}`, 'AIza'],
  ['a web token', `eyJ${letters(20)}.eyJ${letters(40)}.${letters(43)}`, 'eyJ'],
  ['an RSA private key', pem('RSA PRIVATE KEY'), 'BEGIN RSA'],
  ['an EC private key', pem('EC PRIVATE KEY'), 'BEGIN EC'],
  ['a private key in a numbered file read', pem('PRIVATE KEY').replace(/^/gm, '    12→'), 'BEGIN PRIVATE'],
  ['a private key that breaks off', pem('PRIVATE KEY').split('-----END')[0] ?? '', 'BEGIN PRIVATE'],
  ['a password in a .env dump', 'PORT=80\nDB_PASSWORD=tr0ub4dor&3\nX=1', 'tr0ub4dor&3'],
  ['a password of words in code', 'DB_PASSWORD = "correct horse battery"', 'horse'],
  ['a quoted secret in a .env dump', `export API_KEY="${letters(20)} plus words"`, 'plus words'],
  ['a connection string', 'postgres://app:s3cr3t-pw@db.internal:5432/app', 's3cr3t-pw'],
  ['a password in an address', 'https://bob:hunter22@host.example/x', 'hunter22'],
  [
    'a bearer header in a curl command',
    `curl -H 'Authorization: Bearer ${letters(30)}' x`,
    'Bearer [A-Za-z0-9]{9}',
  ],
  ['an x-api-key header', `x-api-key: ${letters(30)}`, 'x-api-key: [A-Za-z0-9]{9}'],
  ['user and password of curl', 'curl -u admin:swordfish9 http://x', 'swordfish9'],
  ['a password in a YAML file', 'user: app\npassword: hunter2hunter2\n', 'hunter2hunter2'],
  ['a secret in code', `const clientSecret = '${letters(24)}';`, "= '[A-Za-z0-9]{9}"],
  ['a storage account key', `AccountKey=${'Ab+/'.repeat(20)}==;Endpoint=x`, 'Ab\\+/Ab'],
  ['a password with an at sign in an address', 'postgres://app:p@ss9@w0rd@db.internal/app', 'w0rd'],
  ['a password in an address of a host with dots', 'https://bob:hunter22@host.example/x', 'hunter22'],
  ['a key in a query', `GET https://x.example/a?api_key=${letters(20)}&page=1`, 'api_key=[A-Za-z0-9]{9}'],
  ['the signature of an address', `https://x.example/a?sig=${letters(30)}&se=2027`, 'sig=[A-Za-z0-9]{9}'],
  ['a cookie of a session', `Cookie: theme=dark; sid=${letters(30)}`, 'sid='],
  ['a .netrc file', 'machine git.example login bob password hunter2hunter2', 'hunter2'],
  ['a secret as an argument', 'deploy --registry-token hunter2x9yz now', 'hunter2x'],
  ['a password of a prefixed variable', 'PGPASSWORD=hunter2 psql', 'hunter2'],
  ['an encryption key in a .env dump', `ENCRYPTION_KEY=${letters(32)}`, 'KEY=[A-Za-z0-9]{9}'],
  ['JSON inside a text of JSON', String.raw`{\"password\": \"hunter2hunter2\"}`, 'hunter2'],
  ['a list of variables', '- name: DB_PASSWORD\n  value: hunter2hunter2', 'hunter2'],
  ['a vault token', `hvs.${letters(30)}`, 'hvs'],
  ['a PyPI token', `pypi-AgE${letters(60)}`, 'pypi-'],
  ['an e-mail address in a query', 'https://x.example/?user=ana.lopez%40mail.example.org&x=1', 'lopez'],
  ['an e-mail address', 'mail ana.lopez+ci@mail.example.org now', 'lopez'],
  ['an e-mail address beside umlauts', 'an jörg@müller.example gesendet', 'jörg'],
  ['an e-mail address at the end of a sentence', 'Ask bob@example.com.', 'bob@'],
  ['an e-mail address before a colon and a blank', 'bob@example.com: hello', 'bob@'],
];

const harmless: readonly (readonly [string, string])[] = [
  ['a commit hash', 'commit 4f2c91d0a7be3318c5e0fd2a9b6174e0d8c3a512'],
  ['a UUID', 'id 0190f6c2-7c1e-7a53-9d0e-3a1b2c4d5e6f'],
  ['base64 of an image', `data:image/png;base64,iVBORw0KGgo${'AAAANSUhEUgAB'.repeat(12)}`],
  ['a CSS colour', 'color: #ff00aa; background: rgb(1, 2, 3)'],
  ['a decorator', '@Injectable() class A { @Input() name: string; }'],
  ['an scp target', 'scp a.txt deploy@web1.example.org:/srv/app/'],
  ['a git remote', 'git clone git@github.com:acme/shop.git'],
  ['an npm scope', 'npm i @tanstack/react-query@5.108.2 react@19.3.1'],
  ['an image with a density', 'src="icon@2x.png"'],
  ['a user part of an address', 'ssh://git@host.example/repo.git'],
  ['a type annotation', 'interface Login { password: string; token: string | null; apiKey?: ApiKeyType }'],
  ['a variable', `DB_PASSWORD=$DB_PASSWORD API_KEY=$\{API_KEY} token: process.env.TOKEN`],
  ['a placeholder', 'API_KEY=your-api-key-here PASSWORD=<password> SECRET=changeme'],
  ['an address with a port and an at sign', 'http://localhost:3001/@vite/client'],
  ['a variable in an address', `https://$GITHUB_TOKEN@github.com/acme/shop https://x:$\{TOKEN}@host/`],
  [
    'words about secrets',
    'The token expired, so the password must be changed; the secret is kept elsewhere.',
  ],
  ['a keyboard shortcut', '{ "key": "ctrl+shift+down", "public_key": "see below" }'],
  ['code that reads a token', 'const token = await getToken(request); const password = req.body.password;'],
  [
    'prose about the form of a key',
    'The line -----BEGIN PRIVATE KEY----- is where each of these files begins',
  ],
  ['the name of a type', 'const secret: Uint8Array; MD5Password = AuthenticationMD5Password;'],
  ['prose about signing in', 'the login form password field is empty, and login with password hunter fails'],
  [
    'constants of code',
    'NAME_BYPASS="__prerender_bypass",TOKEN_HEADER="x-next-token",USE_CREDENTIALS = "use-it-all"',
  ],
  ['a number', 'MAX_TOKENS=272_000 const STEP_TOKENS = 272_000;'],
  ['a package in an address', 'https://packages.example/@scope%2fname patch:typescript%40npm%3A5.9.3'],
  ['a lockfile line', '"integrity": "sha512-oGEzyi2sMXhwS6d0JTlDaxtIHaJEAT8hsxTu7rWkiOO1w=="'],
];

describe('masking', () => {
  it.each(secrets)('hides %s', async (_name, text, part) => {
    const masked = await mask(text);
    expect(masked).toMatch(/\[masked:[a-z0-9_]+:[0-9a-f]{12}\]/);
    expect(masked).not.toMatch(
      new RegExp(part.includes('\\') || part.includes('[') ? part : part.replace(/[.*+?^${}()|&]/g, '\\$&')),
    );
  });

  it.each(harmless)('leaves %s as it is', async (_name, text) => {
    expect(await mask(text)).toBe(text);
  });

  it('hides a token that is broken over two lines at any place, with and without line numbers', async () => {
    for (const at of [5, 12, 20, 39]) {
      for (const seam of ['\n', '\r\n', '\n    13→', '\n13\t']) {
        const masked = await mask(`token:\n${github.slice(0, at)}${seam}${github.slice(at)}\nnext line`);
        expect(masked).toMatch(/^token:\n\[masked:github_token:[0-9a-f]{12}\]\nnext line$/);
      }
    }
  });

  it('gives one secret one mask wherever it stands, and another in another account', async () => {
    const [first] = (await mask(`a ${github} b`)).match(/\[masked:[^\]]+\]/) ?? [];
    const [second] = (await mask(`GITHUB: "${github}"`)).match(/\[masked:[^\]]+\]/) ?? [];
    const [other] =
      (await maskText(github, new Uint8Array(32).fill(8))).text.match(/\[masked:[^\]]+\]/) ?? [];
    expect(second).toBe(first);
    expect(other).not.toBe(first);
  });

  it('gives one secret one mask whether it stands in an address, a variable, a header or a value', async () => {
    const secret = `${letters(20)}aA1+/${letters(15)}`;
    const masks = await Promise.all(
      [
        `AWS_SECRET_ACCESS_KEY=${secret}`,
        `aws_secret_access_key = ${secret}`,
        `"password": "${secret}"`,
        `authorization: token ${secret}`,
        `call(--token ${secret})`,
        `DB_PASSWORD=${secret};`,
      ].map(async (text) => /\[masked:[^\]]+\]/.exec(await mask(text))?.[0]),
    );
    expect(new Set(masks)).toEqual(new Set([masks[0]]));
    expect(masks[0]).toMatch(/^\[masked:/);
  });

  it('is not switched off by a comment inside the text', async () => {
    expect(
      await mask(`// secretlint-disable\n${github}\n// secretlint-disable-line ${github}`),
    ).not.toContain(github);
  });

  it('changes nothing when it masks its own result', async () => {
    const pieces = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom(...secrets.map(([, text]) => text)),
      fc.constantFrom(...harmless.map(([, text]) => text)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { maxLength: 6 }), async (parts) => {
        const once = await mask(parts.join('\n'));
        expect(await mask(once)).toBe(once);
      }),
      { numRuns: 150, seed: 11 },
    );
  });

  it('reads megabytes of hostile text in bounded time', async () => {
    for (const text of [
      '@'.repeat(300_000),
      'a@'.repeat(150_000),
      'password='.repeat(40_000),
      'eyJ'.repeat(100_000),
      `x://${':'.repeat(300_000)}`,
      '-----BEGIN PRIVATE KEY-----'.repeat(20_000),
      `-----BEGIN PRIVATE KEY-----\n${'A'.repeat(60)}\n`.repeat(6_000),
      `${'A'.repeat(76)}\n`.repeat(8_000),
      'a@bb.cc [masked:email:aaaaaaaaaaaa] '.repeat(20_000),
      'A_'.repeat(300_000),
      'curl -u a:'.repeat(60_000),
    ]) {
      expect((await mask(text)).length).toBeGreaterThan(0);
    }
  }, 20_000);
});

describe('masking of JSON text', () => {
  it('hides a value by the name of its key, and what an escape would have hidden', async () => {
    const json = `{"user":"app","password":"hunter2hunter2","note":"mail\\nana@example.org","n":12345678901234567890}`;
    const { text, counts } = await maskJson(json, key);
    expect(text).not.toContain('hunter2');
    expect(text).not.toContain('ana@');
    expect(text).toContain('"n":12345678901234567890}');
    expect(counts).toEqual({ secret: 1, email: 1 });
    expect((await maskText('ana@example.org', key)).text).toBe(JSON.parse(text).note.slice(5));
  });

  it('keeps every byte beside a mask, escapes included', async () => {
    const json = String.raw`{"a":"caf\u00e9 \/ \ud800 ana\u0040example.org \u0041\t", "n":1.0}`;
    const { text } = await maskJson(json, key);
    expect(text).toMatch(
      /^\{"a":"caf\\u00e9 \\\/ \\ud800 \[masked:email:[0-9a-f]{12}\] \\u0041\\t", "n":1\.0\}$/,
    );
  });

  it('hides what is no JSON, what the text cuts off and what lies across strings', async () => {
    const lines = pem('RSA PRIVATE KEY').split('\n');
    for (const text of [
      `*** Update File: .env\n+GITHUB=${github}\n`,
      `{"command":"export X=${github}`,
      `{"command":"export X=${github}\\`,
      `it's "quoted' ${github} "`,
      JSON.stringify({ lines: [...lines, 'after'] }),
      JSON.stringify({ headers: { authorization: 'Basic aHVudGVyMmh1bnRlcjI=' } }),
      JSON.stringify({ env: [{ name: 'DB_PASSWORD', value: 'hunter2hunter2' }] }),
    ]) {
      const masked = (await maskJson(text, key)).text;
      for (const secret of [github, 'hunter2', 'aHVudGVy', ...lines.slice(1, -1)])
        expect(masked).not.toContain(secret);
      if (text.endsWith('}')) expect(() => JSON.parse(masked)).not.toThrow();
    }
  });

  it('reads a string of many megabytes', async () => {
    const json = JSON.stringify({ a: '"\\'.repeat(4_000_000), b: github });
    expect((await maskJson(json, key)).text.length).toBeLessThan(json.length + 20);
  }, 60_000);

  it('keeps every byte of a JSON text without secrets', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), async (json) => {
        expect((await maskJson(json, key)).text).toBe(json);
      }),
      { numRuns: 200, seed: 5 },
    );
  });
});

describe('a process that masks for months', () => {
  it('keeps nothing of the texts it has masked', async () => {
    const before = performance.getEntries().length;
    for (let round = 0; round < 50; round += 1) await mask(`round ${round}`);
    expect(performance.getEntries().length - before).toBeLessThan(50);
  });
});
