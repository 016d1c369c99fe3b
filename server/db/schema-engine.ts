import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import * as engine from '@prisma/schema-engine-wasm/schema_engine_bg';
import type pg from 'pg';

/** The part of Prisma's schema engine that we use: applying migrations and comparing schemas. */
export type SchemaEngine = engine.SchemaEngine;

let loaded: Promise<void> | undefined;

/** Compiles the engine once a process. Node does not import `.wasm` files by itself, so it is wired by hand. */
async function load(): Promise<void> {
  const require = createRequire(import.meta.url);
  const wasmFile = require
    .resolve('@prisma/schema-engine-wasm')
    .replace(/schema_engine\.js$/, 'schema_engine_bg.wasm');
  const bindings: WebAssembly.ModuleImports = { ...engine } as unknown as WebAssembly.ModuleImports;
  const { instance } = await WebAssembly.instantiate(await readFile(wasmFile), {
    './schema_engine_bg.js': bindings,
  });
  const { __wbg_set_wasm } = engine as unknown as { __wbg_set_wasm(exports: WebAssembly.Exports): void };
  __wbg_set_wasm(instance.exports);
  (instance.exports as { __wbindgen_start(): void }).__wbindgen_start();
}

/**
 * Prisma's driver for `pg` cuts a script at every semicolon, also inside function bodies, texts and comments. A migration
 * goes to the server as one message instead: it is read as PostgreSQL reads it and applied whole or not at all.
 */
function wholeScripts(
  factory: PrismaPg,
  onError: (error: unknown) => void,
): SqlMigrationAwareDriverAdapterFactory {
  const patched = async (adapter: ReturnType<PrismaPg['connect']>): Promise<SqlDriverAdapter> => {
    const one = await adapter;
    one.executeScript = async (script) => {
      try {
        await one.underlyingDriver().query(script);
      } catch (error) {
        onError(error);
        throw error;
      }
    };
    return one;
  };
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connect: () => patched(factory.connect()),
    connectToShadowDb: () => patched(factory.connectToShadowDb()),
  };
}

/**
 * Runs `work` with Prisma's schema engine on the database of `pool`; the engine is freed afterwards.
 * `pool` must allow at least two connections.
 * @throws what PostgreSQL said if a script failed, else what the engine throws.
 */
export async function withSchemaEngine<T>(
  pool: pg.Pool,
  work: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  loaded ??= load();
  await loaded;
  const scriptErrors: unknown[] = [];
  const scripts = wholeScripts(new PrismaPg(pool), (error) => scriptErrors.push(error));
  const factory = bindMigrationAwareSqlAdapterFactory(scripts);
  const instance = await engine.SchemaEngine.new({ datamodels: undefined }, () => undefined, factory);
  try {
    return await work(instance);
  } catch (thrown) {
    throw scriptErrors[0] ?? thrown;
  } finally {
    instance.free();
  }
}
