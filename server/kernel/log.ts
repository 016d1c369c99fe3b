import pino, { type Logger } from 'pino';

export type { Logger } from 'pino';

/**
 * The process's logger: JSON lines on standard error, so that standard output stays for what a person asked for.
 * What is logged holds no content, no credentials and no header values: callers log ids, counts, codes and times.
 */
export function createLogger(level: string, name: string): Logger {
  return pino({ level, name, base: { name } }, pino.destination({ fd: 2, sync: false }));
}
