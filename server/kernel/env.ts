import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { z } from 'zod';
import { ContextModeError } from './errors.ts';

const url = (name: string) =>
  z
    .string()
    .refine((text) => /^https?:\/\/[^/]+/.test(text) && URL.canParse(text), {
      error: `${name} must be an http or https address, for example https://api.example.com`,
    })
    .transform((text) => text.replace(/\/+$/, ''));

const proxy = (name: string) =>
  z.string().refine((text) => /^https?:\/\/[^/]+/.test(text) && URL.canParse(text), {
    error: `${name} must be the http or https address of a proxy, for example http://proxy.example:3128`,
  });

const schema = z.object({
  PORT: z.coerce.number({ error: 'PORT must be a number' }).int().min(0).max(65535).default(4141),
  HOST: z.string().min(1).default('127.0.0.1'),
  CONTEXT_MODE_HOME: z.string().min(1).optional(),
  DATABASE_URL: z
    .string()
    .refine((text) => /^postgres(ql)?:\/\//.test(text) && URL.canParse(text), {
      error: 'DATABASE_URL must begin with postgres:// or postgresql:// and name a host',
    })
    .optional(),
  PUBLIC_URL: url('PUBLIC_URL').optional(),
  ANTHROPIC_UPSTREAM_URL: url('ANTHROPIC_UPSTREAM_URL').default('https://api.anthropic.com'),
  OPENAI_UPSTREAM_URL: url('OPENAI_UPSTREAM_URL').default('https://api.openai.com'),
  CHATGPT_UPSTREAM_URL: url('CHATGPT_UPSTREAM_URL').default('https://chatgpt.com/backend-api'),
  HTTPS_PROXY: proxy('HTTPS_PROXY').optional(),
  HTTP_PROXY: proxy('HTTP_PROXY').optional(),
  NO_PROXY: z.string().optional(),
  CONTEXT_MODE_MIN_FREE_MB: z.coerce
    .number({ error: 'CONTEXT_MODE_MIN_FREE_MB must be a number of megabytes; 0 turns it off' })
    .min(0)
    .default(2_000),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  CONTEXT_MODE_OWNERS: z
    .enum(['system', 'key'], { error: 'CONTEXT_MODE_OWNERS must be system or key' })
    .default('system'),
  CONTEXT_MODE_DEMO: z
    .enum(['0', '1'])
    .default('0')
    .transform((flag) => flag === '1'),
});

/** The validated environment of the process. Field by field what design says under "Environment". */
export interface Env {
  readonly port: number;
  readonly host: string;
  /** Absolute path of the data folder. */
  readonly home: string;
  /** A PostgreSQL of the operator's own; absent: the embedded one in the data folder. */
  readonly databaseUrl: string | undefined;
  readonly publicUrl: string | undefined;
  readonly upstreams: Readonly<Record<Door, string>>;
  /** Proxies on the way to the providers, as the usual variables (either case) name them. */
  readonly proxies: Proxies;
  readonly logLevel: string;
  /** Free bytes on the disk of the archive below which new sessions pass unrecorded; 0: never. */
  readonly leastFreeBytes: number;
  /**
   * How local mode knows who a connection belongs to. `system`: the operating system is asked, and where it does not
   * tell, the local key is needed. `key`: it is not asked, so that the local key is needed everywhere.
   */
  readonly owners: 'system' | 'key';
  /** True in `npm run demo`: the console shows a banner that says so. */
  readonly demo: boolean;
}

/** What `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` said; `null` where one is not set. */
export interface Proxies {
  readonly https: string | null;
  readonly http: string | null;
  /** Hosts that are reached directly, as a comma-separated list; `*` is every host. */
  readonly none: string | null;
}

/** The doors that agents come through; each has one upstream host, set by configuration alone. */
export type Door = 'anthropic' | 'openai' | 'chatgpt';

/** Where the data folder lies if nobody says otherwise: in the user's home, on Windows in the local app data. */
export function defaultHome(platform: NodeJS.Platform, variables: NodeJS.ProcessEnv): string {
  if (platform === 'win32' && variables.LOCALAPPDATA) return join(variables.LOCALAPPDATA, 'context-mode');
  return join(homedir(), '.context-mode');
}

/**
 * Reads and checks all variables at once. Empty strings count as absent.
 * @throws ContextModeError `configuration` with every problem in its message, one a line.
 */
export function readEnv(variables: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): Env {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  for (const name of ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY']) {
    const small = given[name.toLowerCase()];
    if (small !== undefined) given[name] = small;
  }
  const result = schema.safeParse(given);
  if (!result.success) {
    const problems = result.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
    throw new ContextModeError('configuration', `The environment has mistakes:\n${problems.join('\n')}`, {
      hint: 'Correct or unset these variables and start again.',
    });
  }
  const parsed = result.data;
  const home = parsed.CONTEXT_MODE_HOME ?? defaultHome(platform, variables);
  return {
    port: parsed.PORT,
    host: parsed.HOST,
    home: isAbsolute(home) ? home : resolve(home),
    databaseUrl: parsed.DATABASE_URL,
    publicUrl: parsed.PUBLIC_URL,
    upstreams: {
      anthropic: parsed.ANTHROPIC_UPSTREAM_URL,
      openai: parsed.OPENAI_UPSTREAM_URL,
      chatgpt: parsed.CHATGPT_UPSTREAM_URL,
    },
    proxies: {
      https: parsed.HTTPS_PROXY ?? null,
      http: parsed.HTTP_PROXY ?? null,
      none: parsed.NO_PROXY ?? null,
    },
    logLevel: parsed.LOG_LEVEL,
    leastFreeBytes: parsed.CONTEXT_MODE_MIN_FREE_MB * 1_000_000,
    owners: parsed.CONTEXT_MODE_OWNERS,
    demo: parsed.CONTEXT_MODE_DEMO,
  };
}
