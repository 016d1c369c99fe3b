import { integer } from '@/app/_lib/format.ts';
import type { Choice } from '@/app/_ui/select.tsx';
import type { WireRecallState } from '@/server/api/index.ts';

/** Where something is said, or that nobody says it. */
export type Level = WireRecallState['from']['recall'];

/** The choice that leaves a field to the wider scope. */
export const INHERIT = 'inherit';
/** The choice that asks for a value of one's own. */
export const OTHER = 'other';

const WIDER: Readonly<Record<Exclude<Level, 'default'>, string>> = {
  account: 'As by default',
  project: 'As the account',
  session: 'As the project',
};

const SAID_BY: Readonly<Record<Level, string>> = {
  default: 'By default',
  account: 'As the account',
  project: 'As the project',
  session: 'As the session',
};

/** One field as a select shows it. */
export interface Field {
  readonly value: string;
  readonly choices: readonly Choice<string>[];
}

/**
 * A field with its choices, the first of which leaves it to the wider scope.
 * @param own the level that the screen sets; `from`: the one that says what holds
 * @param held what holds, as a value of `offered` or one that is added to it
 */
export function fieldOf(
  own: Exclude<Level, 'default'>,
  from: Level,
  held: Choice<string>,
  offered: readonly Choice<string>[],
): Field {
  const isOwn = from === own;
  const inherited = isOwn ? WIDER[own] : `${SAID_BY[from]}: ${held.label}`;
  const known = offered.some(({ value }) => value === held.value);
  return {
    value: isOwn ? held.value : INHERIT,
    choices: [{ value: INHERIT, label: inherited }, ...(isOwn && !known ? [held] : []), ...offered],
  };
}

/** On and off. */
export const SWITCH: readonly Choice<string>[] = [
  { value: 'true', label: 'On' },
  { value: 'false', label: 'Off' },
];

/** On or off, as it is held. */
export function switchChoice(isOn: boolean): Choice<string> {
  return { value: String(isOn), label: isOn ? 'On' : 'Off' };
}

const SIZES: Readonly<Record<string, string>> = {
  lean: 'Lean, 60 k',
  balanced: 'Balanced, 150 k',
  roomy: 'Roomy, 300 k',
};

/** How much of the newest conversation stays. */
export const SIZE_CHOICES: readonly Choice<string>[] = [
  ...Object.entries(SIZES).map(([value, label]) => ({ value, label })),
  { value: OTHER, label: 'Another number…' },
];

/** What stays, as it is held. */
export function sizeChoice({ preset, keepRecent }: WireRecallState): Choice<string> {
  return preset === null ? tokensChoice(keepRecent) : { value: preset, label: SIZES[preset] ?? preset };
}

/** The context limit. */
export const LIMIT_CHOICES: readonly Choice<string>[] = [
  { value: 'auto', label: 'By the rule' },
  { value: OTHER, label: 'A number…' },
];

/** The limit as it is held. */
export function limitChoice({ contextLimit }: WireRecallState): Choice<string> {
  return contextLimit === null ? { value: 'auto', label: 'By the rule' } : tokensChoice(contextLimit);
}

/** The least gain. */
export const GAIN_CHOICES: readonly Choice<string>[] = [
  ...[5_000, 10_000, 20_000, 50_000].map(tokensChoice),
  { value: OTHER, label: 'Another number…' },
];

/** A number of tokens as a choice. */
export function tokensChoice(tokens: number): Choice<string> {
  return { value: String(tokens), label: `${integer(tokens)} tokens` };
}

/** Zones that are offered: UTC and the viewer's own. */
export function zoneChoices(own: string): readonly Choice<string>[] {
  const zones = [...new Set(['UTC', own])].map((value) => ({ value, label: value }));
  return [...zones, { value: OTHER, label: 'Another zone…' }];
}
