import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import * as engine from '@prisma/schema-engine-wasm/schema_engine_bg';
import type pg from 'pg';

/** The part of Prisma's schema engine that we use: applying migrations and comparing schemas. */
export type SchemaEngine = engine.SchemaEngine;

const panics: string[] = [];
let loaded: Promise<void> | undefined;

/** Compiles the engine once a process. Node does not import `.wasm` files by itself, so it is wired by hand. */
async function load(): Promise<void> {
  // Where the engine leaves the text of a fault of its own before it stops.
  Object.assign(globalThis, {
    PRISMA_WASM_PANIC_REGISTRY: { set_message: (text: string) => panics.push(text) },
  });
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

/** PostgreSQL's numbers of its type "char" (one byte, used in its catalogue) and of `varchar`. */
const CHAR_TYPE = 18;
const VARCHAR_TYPE = 1043;

/**
 * Prisma's driver for `pg` with two mends. It cuts a script at every semicolon, also inside function bodies, texts and
 * comments: here a script goes to the server as one message, which is read as PostgreSQL reads it and applied whole or
 * not at all. And it refuses the type "char", which the engine asks for when it describes foreign keys: here such a
 * column passes as text and is given back its type afterwards.
 */
function mendedDriver(
  pool: pg.Pool,
  onError: (error: unknown) => void,
): SqlMigrationAwareDriverAdapterFactory {
  const charColumns = new Set<string>();
  const tolerant: pg.Pool = Object.create(pool, {
    query: {
      value: async (...input: Parameters<pg.Pool['query']>) => {
        const result = (await pool.query(...input)) as unknown as pg.QueryResult;
        for (const field of result.fields ?? []) {
          if (field.dataTypeID !== CHAR_TYPE) continue;
          charColumns.add(field.name);
          field.dataTypeID = VARCHAR_TYPE;
        }
        return result;
      },
    },
  });
  const factory = new PrismaPg(tolerant);
  const mend = async (adapter: ReturnType<PrismaPg['connect']>): Promise<SqlDriverAdapter> => {
    const one = await adapter;
    const queryRaw = one.queryRaw.bind(one);
    one.queryRaw = async (query) => {
      const result = await queryRaw(query);
      const columnTypes = result.columnTypes.map((type, index) =>
        charColumns.has(result.columnNames[index] ?? '') ? ColumnTypeEnum.Character : type,
      );
      return { ...result, columnTypes };
    };
    one.executeScript = async (script) => {
      try {
        await pool.query(script);
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
    connect: () => mend(factory.connect()),
    connectToShadowDb: () => factory.connectToShadowDb(),
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
  const driver = mendedDriver(pool, (error) => scriptErrors.push(error));
  const factory = bindMigrationAwareSqlAdapterFactory(driver);
  const instance = await engine.SchemaEngine.new({ datamodels: undefined }, () => undefined, factory);
  try {
    return await work(instance);
  } catch (thrown) {
    const panic = panics.pop();
    throw scriptErrors[0] ?? (panic === undefined ? thrown : new Error(panic, { cause: thrown }));
  } finally {
    instance.free();
  }
}
