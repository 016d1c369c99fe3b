import type { Uuid } from '../kernel/ids.ts';
import {
  DEFAULT_SWITCHES,
  INHERITED,
  mergeSwitches,
  PRESETS,
  type Preset,
  type RecallSwitches,
  type SetSwitches,
} from '../recall/index.ts';

/** Where something is said: the account, a project, a session. */
export type Level = 'account' | 'project' | 'session';

/** What is said at each level, from the widest to the nearest. */
export type SaidAt = readonly (readonly [level: Level, said: SetSwitches])[];

/** Which level each field comes from; `default`: nobody said anything. */
export type SaidBy = Readonly<Record<keyof RecallSwitches, Level | 'default'>>;

/** What holds, and who says it. The nearest that says something counts. */
export function heldSwitches(said: SaidAt): { readonly values: RecallSwitches; readonly from: SaidBy } {
  const names = Object.keys(INHERITED) as (keyof SetSwitches)[];
  const from = names.map((name) => [name, said.findLast(([, one]) => one[name] !== null)?.[0] ?? 'default']);
  return {
    values: said.length === 0 ? DEFAULT_SWITCHES : mergeSwitches(said.map(([, one]) => one)),
    from: Object.fromEntries(from) as SaidBy,
  };
}

/** How much is kept, as a preset's name and as tokens. */
export function keptOf(keepRecent: Preset | number): {
  readonly preset: Preset | null;
  readonly tokens: number;
} {
  return typeof keepRecent === 'number'
    ? { preset: null, tokens: keepRecent }
    : { preset: keepRecent, tokens: PRESETS[keepRecent] };
}

/** A scope of the account, and the wider ones around it, the widest first. */
export interface Scopes {
  readonly own: readonly [level: Level, id: Uuid];
  readonly wider: readonly (readonly [level: Level, id: Uuid])[];
}
