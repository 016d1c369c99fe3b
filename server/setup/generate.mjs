// Generates Prisma's client from the schema into server/db/generated if the schema has changed.
import { existsSync, readFileSync } from 'node:fs';
import { alone, at, fingerprint, isCurrent, isEntry, main, runNode, step, writeStamp } from './project.mjs';

const ENVIRONMENT = {
  // Prisma wants a schema engine to exist even where it does not use it; fetching the real one would be a download
  // from outside the package registry. Any program will do, so it is given this one.
  PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
  CHECKPOINT_DISABLE: '1',
  PRISMA_HIDE_UPDATE_MESSAGE: '1',
};

/** Generates the client if it is missing or older than the schema or Prisma. */
export async function generate() {
  const schema = at('prisma/schema.prisma');
  if (!existsSync(schema)) return;
  const { version } = JSON.parse(readFileSync(at('node_modules/prisma/package.json'), 'utf8'));
  const stamp = fingerprint([schema], version);
  const stampFile = at('server/db/generated/.stamp');
  await alone(async () => {
    if (isCurrent(stampFile, stamp)) return;
    const prisma = at('node_modules/prisma/build/index.js');
    await step('Generating the database client', () => runNode(prisma, ['generate'], { env: ENVIRONMENT }));
    writeStamp(stampFile, stamp);
  });
}

if (isEntry(import.meta.url)) await main(generate);
