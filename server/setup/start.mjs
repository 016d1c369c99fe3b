// `npm start`: makes what is missing, then is the product's process. `--next`: the app served by Next alone.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { builtServer, prepare } from './build.mjs';
import { at, main } from './project.mjs';

/** The server runs in this very process, so that signals and its number are the product's own. */
async function startServer() {
  process.setSourceMapsEnabled(true);
  await import(pathToFileURL(builtServer()).href);
}

async function startNext() {
  const { check } = await import(pathToFileURL(at('dist/next-alone.js')).href);
  await check();
  // The product ends in its own order (answers, archive, database); Next would leave before that.
  process.env.NEXT_MANUAL_SIG_HANDLE = 'true';
  const { PORT = '4141', HOST = '127.0.0.1' } = process.env;
  const next = at('node_modules/next/dist/bin/next');
  process.argv = [
    process.execPath,
    next,
    'start',
    '--port',
    PORT || '4141',
    '--hostname',
    HOST || '127.0.0.1',
    '--keepAliveTimeout',
    '120000',
  ];
  createRequire(import.meta.url)(next);
}

await main(async () => {
  process.chdir(at());
  await prepare();
  process.env.NODE_ENV = 'production';
  process.env.NEXT_TELEMETRY_DISABLED = '1';
  if (process.argv.includes('--next')) await startNext();
  else await startServer();
});
