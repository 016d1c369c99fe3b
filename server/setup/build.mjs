// Builds the server, the command and the console; each only if what it is made from has changed.
import { existsSync, rmSync } from 'node:fs';
import { generate } from './generate.mjs';
import { install } from './install.mjs';
import {
  alone,
  at,
  fingerprint,
  isCurrent,
  isEntry,
  main,
  runNode,
  SetupError,
  sourceFiles,
  step,
  writeStamp,
} from './project.mjs';

const isSource = (path) => !/\.(test|bench)\.tsx?$/.test(path) && !path.startsWith('server/setup/');

/** What every part depends on beside its sources. */
const COMMON = ['package-lock.json', 'tsconfig.json', 'server/setup/build.mjs', 'prisma/schema.prisma'];

/** Entries of the server: the process, the product for where Next is the server, and the threads that archive. */
const SERVER_ENTRIES = {
  main: 'server/main.ts',
  'next-alone': 'server/next-alone.ts',
  recorder: 'server/gateway/record/worker.ts',
  transcripts: 'server/gateway/transcripts/worker.ts',
};

/** A part of the product: what it is made from, what shows that it is there, and how it is made. */
const PARTS = [
  {
    title: 'Building the server',
    entry: 'server/main.ts',
    inputs: ['server'],
    stampFile: 'dist/.stamp',
    result: 'dist/main.js',
    make: buildServer,
  },
  {
    title: 'Building the command',
    entry: 'server/cli/main.ts',
    inputs: ['server/cli'],
    stampFile: 'server/cli/dist/.stamp',
    result: 'server/cli/dist/main.js',
    make: buildCommand,
  },
  {
    title: 'Building the console',
    entry: 'next.config.ts',
    inputs: [
      'app',
      'server',
      'public',
      'next.config.ts',
      'postcss.config.mjs',
      'instrumentation.ts',
      'proxy.ts',
    ],
    stampFile: '.next/.stamp',
    result: '.next/BUILD_ID',
    make: buildConsole,
  },
];

/** Builds every part that is missing or out of date. */
export async function build() {
  await alone(async () => {
    for (const part of PARTS) {
      if (!existsSync(at(part.entry))) continue;
      const stamp = fingerprint(sourceFiles([...part.inputs, ...COMMON], isSource));
      if (isCurrent(at(part.stampFile), stamp) && existsSync(at(part.result))) continue;
      await step(part.title, part.make);
      writeStamp(at(part.stampFile), stamp);
    }
  });
}

const NODE_BUNDLE = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  sourcemap: true,
  logLevel: 'silent',
};

async function buildServer() {
  rmSync(at('dist'), { recursive: true, force: true });
  const entries = Object.entries(SERVER_ENTRIES).filter(([, file]) => existsSync(at(file)));
  return esbuild({
    ...NODE_BUNDLE,
    entryPoints: Object.fromEntries(entries.map(([name, file]) => [name, at(file)])),
    outdir: at('dist'),
    packages: 'external',
    splitting: true,
    // Beside the entries: code finds the worker's file from its own address, wherever it was put.
    chunkNames: '[name]-[hash]',
  });
}

/** The command is a package of its own and knows how it is built. */
function buildCommand() {
  return runNode(at('server/cli/build.mjs'), []);
}

async function esbuild(options) {
  const { build: bundle, formatMessages } = await import('esbuild');
  try {
    await bundle(options);
    return { code: 0, output: '' };
  } catch (error) {
    if (!error.errors) throw error;
    return { code: 1, output: (await formatMessages(error.errors, { kind: 'error' })).join('\n') };
  }
}

function buildConsole() {
  return runNode(at('node_modules/next/dist/bin/next'), ['build'], {
    env: { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' },
  });
}

/** Everything that must be there before the product runs. */
export async function prepare() {
  await install();
  await generate();
  await build();
}

/** Fails with a clear message if there is nothing to run. */
export function builtServer() {
  const file = at('dist/main.js');
  if (!existsSync(file)) throw new SetupError('server/main.ts is missing, so there is nothing to start.');
  return file;
}

if (isEntry(import.meta.url)) await main(prepare);
