import { ContextModeError } from '@/server/kernel/errors.ts';
import type { Services } from '@/server/services.ts';

/** Where the process puts its services: on the global object, because a bundler loads modules more than once. */
const KEY = Symbol.for('context-mode.services');

/** The running process's services. @throws ContextModeError `unavailable` while the process is still starting. */
export function getServices(): Services {
  const found = (globalThis as { [KEY]?: Services })[KEY];
  if (found !== undefined) return found;
  throw new ContextModeError('unavailable', 'Context Mode is still starting.', {
    hint: 'Try again in a moment.',
  });
}
