// Bundles the command and the packages that it needs into dist/main.js, so that installing it brings nothing else.
import { existsSync, mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const output = join(folder, 'dist', 'main.js');

/** The newest change of a source file below a folder, in milliseconds; built and installed folders do not count. */
function newestSource(below) {
  let newest = 0;
  for (const entry of readdirSync(below, { withFileTypes: true })) {
    if (entry.name === 'dist' || entry.name === 'node_modules') continue;
    const path = join(below, entry.name);
    if (entry.isDirectory()) newest = Math.max(newest, newestSource(path));
    else if (/(?<!\.test)\.(ts|json)$/.test(entry.name)) newest = Math.max(newest, statSync(path).mtimeMs);
  }
  return newest;
}

/** True when dist/main.js is there and no source file is newer. */
export function isBuilt() {
  return existsSync(output) && statSync(output).mtimeMs >= newestSource(folder);
}

/** Builds dist/main.js. Throws when esbuild is not installed. */
export async function build() {
  const { build: bundle } = await import('esbuild');
  const { outputFiles } = await bundle({
    write: false,
    absWorkingDir: folder,
    entryPoints: ['main.ts'],
    outfile: output,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // The module form of a package, where it has one: the other form's `require` cannot be followed.
    mainFields: ['module', 'main'],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  // Whoever starts the command at this moment reads the old file or the new one, never a part.
  mkdirSync(dirname(output), { recursive: true });
  const temporary = `${output}.${process.pid}`;
  writeFileSync(temporary, outputFiles[0].contents);
  renameSync(temporary, output);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await build();
