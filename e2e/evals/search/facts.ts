import { call } from './facts/call.ts';
import { command } from './facts/command.ts';
import { decision } from './facts/decision.ts';
import { error } from './facts/error.ts';
import type { Fact, Maker } from './facts/fact.ts';
import { identifier } from './facts/identifier.ts';
import { incident } from './facts/incident.ts';
import { language } from './facts/language.ts';
import { log } from './facts/log.ts';
import { phrase } from './facts/phrase.ts';
import { setting } from './facts/setting.ts';
import { unspaced } from './facts/unspaced.ts';
import type { Random } from './random.ts';

/** The makers of facts, one for each class. */
const MAKERS: readonly Maker[] = [
  decision,
  setting,
  identifier,
  error,
  log,
  command,
  call,
  language,
  unspaced,
  phrase,
  incident,
];

/** Facts of every class, the same number of each. */
export function factsOf(random: Random, perClass: number): readonly Fact[] {
  return MAKERS.flatMap((make) => Array.from({ length: perClass }, (_, at) => make(random, at)));
}
