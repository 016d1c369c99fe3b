import type { Agent } from '../agents/agent.ts';
import { dataFolder } from '../data-folder.ts';
import {
  type ConfigFile,
  encode,
  missingFoldersOf,
  removeConfigFile,
  writeConfigFile,
} from '../files/config-file.ts';
import { type ConnectionRecord, type Records, readRecords, writeRecords } from '../files/state.ts';
import type { World } from '../world.ts';
import type { ConnectPlan, DisconnectPlan } from './plan.ts';

/** The record of a file, or null. @throws CliFailure where the records cannot be read. */
export async function recordOf(world: World, file: ConfigFile): Promise<ConnectionRecord | null> {
  return (await readRecords(dataFolder(world)))[file.target] ?? null;
}

/**
 * Carries a plan out. The record goes to the disk first: after a crash in between, disconnecting finds a file that
 * was not changed yet and leaves it as it is. @throws CliFailure with file and record as they were.
 */
export async function carryOutConnect(
  world: World,
  agent: Agent,
  file: ConfigFile,
  plan: ConnectPlan,
  gateway: string,
): Promise<void> {
  const before = await readRecords(dataFolder(world));
  const earlier = before[file.target];
  const newFolders = await missingFoldersOf(file);
  const record: ConnectionRecord = {
    agent: agent.name,
    target: file.target,
    gateway,
    connectedAt: new Date(world.now()).toISOString(),
    entries: plan.entries,
    tables: plan.tables,
    folders: newFolders.length > 0 || !earlier ? newFolders : earlier.folders,
    exact: plan.exact,
  };
  await writeRecords(dataFolder(world), { ...before, [file.target]: record }, world.randomName());
  try {
    await writeConfigFile(file, encode(file, plan.text), world.randomName());
  } catch (fault) {
    await writeRecords(dataFolder(world), before, world.randomName());
    throw fault;
  }
}

/** Carries a plan out and forgets the record. The file goes first: after a crash the same command ends the work. */
export async function carryOutDisconnect(
  world: World,
  file: ConfigFile,
  plan: DisconnectPlan,
): Promise<void> {
  const records = await readRecords(dataFolder(world));
  const record = records[file.target];
  if (plan.outcome === 'delete') await removeConfigFile(file, record?.folders ?? []);
  else if (plan.outcome !== 'none') await writeConfigFile(file, encode(file, plan.text), world.randomName());
  if (record) await writeRecords(dataFolder(world), without(records, file.target), world.randomName());
}

function without(records: Records, target: string): Records {
  return Object.fromEntries(Object.entries(records).filter(([key]) => key !== target));
}
