import type { Agent, Elsewhere, Setting } from '../agents/agent.ts';
import { type OwnEntry, UnreadableConfig } from '../edits/config-format.ts';
import { lineNamedAs } from '../edits/json-lines.ts';
import { applySplices, invertSplices, positionAt, type Splice } from '../edits/splice.ts';
import { CliFailure, EXIT } from '../failure.ts';
import { type ConfigFile, encode, sha256Of } from '../files/config-file.ts';
import type { ConnectionRecord, ExactWayBack } from '../files/state.ts';
import { withoutSecrets } from '../gateway/address.ts';
import { foundKeyLine } from '../gateway/local-key.ts';

/** One place of a change as a person is shown it: without users, passwords and queries of addresses. */
export interface ShownChange {
  readonly line: number;
  readonly removed: string;
  readonly inserted: string;
}

/** What connecting one agent would do. */
export interface ConnectPlan {
  /** `change`: the file is to be written. `connected`: it is as wanted. `elsewhere`: its requests go elsewhere. */
  readonly outcome: 'change' | 'connected' | 'elsewhere';
  /** Where its requests go now, where that is neither the gateway nor the provider by default. */
  readonly elsewhere: readonly Elsewhere[];
  /** The values that connecting sets; those that the person had set already are left out. */
  readonly settings: readonly Setting[];
  readonly text: string;
  readonly shown: readonly ShownChange[];
  readonly entries: readonly OwnEntry[];
  readonly tables: readonly (readonly string[])[];
  readonly exact: ExactWayBack | null;
}

/** What disconnecting one file would do. */
export interface DisconnectPlan {
  /** `exact`: back to the byte. `keys`: only our own keys go. `delete`: the file that we made goes. `none`: nothing. */
  readonly outcome: 'exact' | 'keys' | 'delete' | 'none';
  readonly text: string;
  readonly shown: readonly ShownChange[];
}

/**
 * Decides what connecting changes in a file. Pure.
 * @param replace true if the person agrees that an address that leads elsewhere gives way.
 * @throws CliFailure `file` where the file does not parse.
 */
export function planConnect(
  agent: Agent,
  file: ConfigFile,
  record: ConnectionRecord | null,
  wanted: { readonly settings: readonly Setting[]; readonly gateway: string; readonly replace: boolean },
): ConnectPlan {
  return withPosition(file, () => {
    agent.format.check(file.text);
    const held = settingsFor(agent, file.text, wanted.settings);
    const base = isConnected(agent, file.text, held) ? null : baseOf(agent, file, record);
    const from = base ?? { text: file.text, original: null };
    const settings = settingsFor(agent, from.text, wanted.settings);
    const elsewhere = agent.elsewhere(from.text, wanted.gateway);
    const none = { elsewhere, settings, text: file.text, shown: [], entries: [], tables: [], exact: null };
    const givesWay = wanted.replace && elsewhere.every((one) => one.replaceable);
    if (elsewhere.length > 0 && !givesWay) return { ...none, outcome: 'elsewhere' };
    if (base === null) return { ...none, outcome: 'connected' };
    const splices = agent.format.set(from.text, settings);
    const text = mustApply(from.text, splices);
    return {
      outcome: text === file.text ? 'connected' : 'change',
      elsewhere,
      settings,
      text,
      shown: shownChanges(from.text, splices),
      entries: settings.map((setting) => ownEntry(agent, from.text, setting, wanted.gateway)),
      tables: agent.format.missingTables(from.text, settings),
      exact: exactWay(agent, file, from, { text, splices }, wanted.gateway),
    };
  });
}

/** Decides what disconnecting changes in a file. Pure. @throws CliFailure `file` where the file does not parse. */
export function planDisconnect(
  agent: Agent,
  file: ConfigFile,
  record: ConnectionRecord | null,
  gateways: readonly string[],
): DisconnectPlan {
  const none: DisconnectPlan = { outcome: 'none', text: file.text, shown: [] };
  if (file.bytes === null) return none;
  const back = record && wayBack(file, record);
  if (back) {
    const outcome = record.exact?.before === null ? 'delete' : 'exact';
    return { outcome, text: back.text, shown: shownChanges(file.text, back.splices) };
  }
  return withPosition(file, () => {
    agent.format.check(file.text);
    const entries = record ? record.entries : doorEntries(agent, file.text, gateways);
    const splices = agent.format.takeOut(file.text, entries, record?.tables ?? []);
    if (splices.length === 0) return none;
    const text = mustApply(file.text, splices);
    return { outcome: 'keys', text, shown: shownChanges(file.text, splices) };
  });
}

/** The text that is to be connected: the file's own, or what it was before an earlier connection. */
interface Base {
  readonly text: string;
  /** SHA-256 of the bytes of that text where it is a state that the file was in; null file: null. */
  readonly original: { readonly sha256: string | null } | null;
}

function baseOf(agent: Agent, file: ConfigFile, record: ConnectionRecord | null): Base {
  if (record === null) return { text: file.text, original: { sha256: file.bytes && sha256Of(file.bytes) } };
  const back = wayBack(file, record);
  if (back && record.exact) return { text: back.text, original: { sha256: record.exact.before } };
  const text = mustApply(file.text, agent.format.takeOut(file.text, record.entries, record.tables));
  return { text, original: { sha256: file.bytes === null ? null : sha256Of(encode(file, text)) } };
}

/** The splices that lead back to the byte, if the file is still as it was written. */
function wayBack(file: ConfigFile, record: ConnectionRecord): { text: string; splices: Splice[] } | null {
  const { exact } = record;
  if (exact === null || file.bytes === null || sha256Of(file.bytes) !== exact.after) return null;
  const splices = invertSplices(exact.splices);
  const text = applySplices(file.text, splices);
  if (text === null) return null;
  const fits = exact.before === null ? text === '' : sha256Of(encode(file, text)) === exact.before;
  return fits ? { text, splices } : null;
}

/** The wanted settings less the extras that the person has set. */
function settingsFor(agent: Agent, text: string, wanted: readonly Setting[]): Setting[] {
  return wanted.filter((setting) => {
    if (setting.role !== 'extra') return true;
    const found = agent.format.find(text, setting.path);
    return found === null || found.value === setting.value;
  });
}

function isConnected(agent: Agent, text: string, settings: readonly Setting[]): boolean {
  return settings.every((setting) => {
    const value = agent.format.find(text, setting.path)?.value ?? null;
    if (value === null || !setting.asLine) return value === setting.value;
    return lineNamedAs(value, setting.value) === setting.value;
  });
}

/** A door of ours that stood there already was set by hand: it is not what the person had before. */
function ownEntry(agent: Agent, text: string, setting: Setting, gateway: string): OwnEntry {
  const found = agent.format.find(text, setting.path);
  if (setting.asLine) {
    const { path, value } = setting;
    const line = lineNamedAs(found?.value ?? '', value) ?? '';
    const before = found === null ? null : foundKeyLine(line) === null ? line : '';
    return { path, value, asLine: true, before };
  }
  const ours = found?.value != null && agent.isDoor(found.value, gateway);
  return { path: setting.path, value: setting.value, before: found === null || ours ? null : found.written };
}

function exactWay(
  agent: Agent,
  file: ConfigFile,
  from: Base,
  made: { text: string; splices: Splice[] },
  gateway: string,
): ExactWayBack | null {
  const setByHand = agent.routes.some(({ baseUrlPath }) => {
    const value = agent.format.find(from.text, baseUrlPath)?.value;
    return value != null && agent.isDoor(value, gateway);
  });
  if (from.original === null || setByHand) return null;
  return {
    splices: made.splices,
    before: from.original.sha256,
    after: sha256Of(encode(file, made.text)),
  };
}

/** Without a record: each base URL that is a door of one of these gateways, and beside such a one the local key. */
function doorEntries(agent: Agent, text: string, gateways: readonly string[]): OwnEntry[] {
  return agent.routes.flatMap(({ baseUrlPath, key }) => {
    const value = agent.format.find(text, baseUrlPath)?.value;
    if (value == null || !gateways.some((gateway) => agent.isDoor(value, gateway))) return [];
    const door: OwnEntry = { path: baseUrlPath, value, before: null };
    if (key === null) return [door];
    const written = agent.format.find(text, key.path)?.value ?? '';
    const own = key.lines ? foundKeyLine(written) : /^cml_/.test(written) ? written : null;
    if (own === null) return [door];
    const entry: OwnEntry = { path: key.path, value: own, before: null };
    return [door, key.lines ? { ...entry, asLine: true } : entry];
  });
}

/** The changes without the commas and line endings around them, with the line at which each stands. */
function shownChanges(text: string, splices: readonly Splice[]): ShownChange[] {
  const changes: ShownChange[] = [];
  let current = text;
  for (const splice of splices) {
    const after = mustApply(current, [splice]);
    const [removed, inserted] = [bare(splice.removed), bare(splice.inserted)];
    const [shown, within] = inserted === '' ? [current, splice.removed] : [after, splice.inserted];
    if (removed !== '' || inserted !== '') {
      const { line } = positionAt(shown, splice.at + within.indexOf(bare(within).slice(0, 1)));
      changes.push({ line, removed: withoutSecrets(removed), inserted: withoutSecrets(inserted) });
    }
    current = after;
  }
  return changes;
}

/** A piece of a document without what joins it to its neighbours, and with its own indentation alone. */
function bare(piece: string): string {
  const lines = piece.replace(/^[\s,]+|[\s,]+$/g, '').split(/\r?\n/);
  const indent = /^[ \t]*/.exec(lines.at(-1) ?? '')?.[0] ?? '';
  return lines.map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line)).join('\n');
}

function withPosition<Result>(file: ConfigFile, work: () => Result): Result {
  try {
    return work();
  } catch (fault) {
    if (!(fault instanceof UnreadableConfig)) throw fault;
    throw new CliFailure(
      EXIT.file,
      `${file.path}, line ${fault.line}, column ${fault.column}: ${fault.message} It was left alone.`,
      'Mend the file by hand, then run the command again.',
      { cause: fault },
    );
  }
}

function mustApply(text: string, splices: readonly Splice[]): string {
  const result = applySplices(text, splices);
  if (result === null) throw new Error('a splice does not fit its text');
  return result;
}
