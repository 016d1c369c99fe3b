import { z } from 'zod';
import { bounded } from '../kernel/bounded.ts';
import type { Millis } from '../kernel/clock.ts';
import { connection } from './schemas.ts';
import { type ApiContext, changing, reading, router } from './trpc.ts';
import { VERSION } from './version.ts';
import { wireConnection } from './wire.ts';

const health = z.object({
  ready: z.boolean(),
  parts: z.array(z.object({ name: z.string(), ok: z.boolean(), note: z.string().nullable() })),
});

/** How long the database may take to say what failed. */
const ANSWER_MS = 2_000;
/** Failures of Recall in this time above which a person is told. */
const FAILURE_WINDOW_MS = 5 * 60_000;
const FAILURES_QUIET = 5;

/** How the process is, and how Recall does. */
export const healthAnswer = health.extend({
  recall: z.object({
    failures: z.int().describe('requests of the last five minutes that a failed step left as they came'),
    note: z.string().nullable().describe('a sentence where they are more than five'),
  }),
});

async function recallHealth({ services }: ApiContext): Promise<z.infer<typeof healthAnswer>['recall']> {
  const since = (services.clock.now() - FAILURE_WINDOW_MS) as Millis;
  // What is not open yet says so at once, instead of rejecting.
  const asked = (async () => services.layouts.failures(services.accountId, since))();
  const found = (await bounded(asked, ANSWER_MS).catch(() => false)) ? await asked : null;
  if (found === null || found.count <= FAILURES_QUIET) return { failures: found?.count ?? 0, note: null };
  const { newest } = found;
  const last =
    newest === null ? '' : ` The last one: ${newest.detail === '' ? newest.reason : newest.detail}`;
  return {
    failures: found.count,
    note:
      `${found.count} requests of the last five minutes went out as their agents sent them, because a step of Recall ` +
      `failed. Nothing is lost by it; prompts stay longer.${last}`,
  };
}

/** Who came through a door, one row per agent. */
export const connections = z.object({ items: z.array(connection) });

/** What the process is and where it sends requests. */
export const settings = z.object({
  version: z.string(),
  mode: z.enum(['local', 'hosted']).describe('local: one account on this machine, no sign-in'),
  keyNeeded: z
    .boolean()
    .describe('true: agents and scripts must send the local key, because the system does not tell owners'),
  baseUrl: z.string().describe('where agents on this machine reach the doors'),
  home: z.string(),
  database: z.object({ kind: z.enum(['embedded', 'own']), where: z.string() }),
  upstreams: z.object({ anthropic: z.string(), openai: z.string(), chatgpt: z.string() }),
  logLevel: z.string(),
  demo: z.boolean(),
  node: z.string(),
});

/** The address that opens the console in a browser. */
export const consoleLink = z.object({
  url: z
    .string()
    .describe('works once and for ten minutes where the local key is needed; else the plain address'),
});

/** Host, port and name of a PostgreSQL address: never its user or password. */
export function databaseWhere(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

/** What the process is, where it keeps things, and who is connected. */
export const statusRouter = router({
  connections: reading.output(connections).query(async ({ ctx }) => ({
    items: (await ctx.services.archive.connections(ctx.services.accountId)).map(wireConnection),
  })),

  openConsole: changing
    .output(consoleLink)
    .mutation(({ ctx }) => ({ url: ctx.services.links.makeLink(ctx.baseUrl) })),

  health: reading.output(healthAnswer).query(async ({ ctx }) => {
    const [{ ready, parts }, recall] = await Promise.all([ctx.services.health(), recallHealth(ctx)]);
    return { ready, parts: [...parts], recall };
  }),

  settings: reading.output(settings).query(({ ctx }) => {
    const { env } = ctx.services;
    return {
      version: VERSION,
      mode: env.publicUrl === undefined ? ('local' as const) : ('hosted' as const),
      keyNeeded: ctx.services.links.keyNeeded,
      baseUrl: ctx.baseUrl,
      home: env.home,
      database:
        env.databaseUrl === undefined
          ? { kind: 'embedded' as const, where: env.home }
          : { kind: 'own' as const, where: databaseWhere(env.databaseUrl) },
      upstreams: { ...env.upstreams },
      logLevel: env.logLevel,
      demo: env.demo,
      node: process.version,
    };
  }),
});
