#!/usr/bin/env node
// Starts the command. A published package brings dist/main.js; in a clone it is built when a source is newer.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const folder = fileURLToPath(new URL('..', import.meta.url));
const built = join(folder, 'dist', 'main.js');

if (existsSync(join(folder, 'main.ts'))) {
  try {
    const builder = await import(pathToFileURL(join(folder, 'build.mjs')).href);
    if (!builder.isBuilt()) await builder.build();
  } catch (fault) {
    if (!existsSync(built)) {
      process.stderr.write(
        `The command is not built yet and could not be built: ${fault instanceof Error ? fault.message : fault}\n` +
          'Run "npm start" once in the clone (it installs and builds everything), then try again.\n',
      );
      process.exit(1);
    }
  }
}

const { main } = await import(pathToFileURL(built).href);
process.exitCode = await main(process.argv.slice(2), folder);
