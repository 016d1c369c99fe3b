export { type ConnectionSettings, openPool, type PoolOptions } from './connection.ts';
export { type Database, type DatabaseOptions, databaseOver, openDatabase } from './database.ts';
export type { EmbeddedServer } from './embedded.ts';
export { type MigrateOptions, type MigrationResult, migrate } from './migrate.ts';
export { ConflictError, codeOf, transaction } from './transaction.ts';
