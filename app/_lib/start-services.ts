import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const KEY = Symbol.for('context-mode.services');

/**
 * Loads `dist/next-alone.js` and starts it, unless the services stand already or a build is being made.
 * Its `start()` puts the services on the global object.
 */
export async function startServices(): Promise<void> {
  if (KEY in globalThis || process.env.NEXT_PHASE === 'phase-production-build') return;
  const file = resolve('dist', 'next-alone.js');
  await access(file);
  const built = (await import(
    /* webpackIgnore: true */ /* turbopackIgnore: true */ pathToFileURL(file).href
  )) as {
    start(): Promise<unknown>;
  };
  await built.start();
}
