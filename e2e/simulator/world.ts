import { PromptCache } from './anthropic/cache.ts';
import { CacheDiagnostics } from './anthropic/diagnostics.ts';
import { FallbackPlaces } from './anthropic/fallbacks.ts';
import { Threads } from './anthropic/threads.ts';
import type { SimulatorClock } from './clock.ts';
import { FaultQueue } from './faults.ts';
import { type IdMaker, idMaker, sha256 } from './ids.ts';
import { RateBuckets, type RateLimits } from './limits.ts';
import { InputCache } from './openai/cache.ts';
import { ResponseStore } from './openai/store.ts';
import { type Rules, rulesWith } from './rules.ts';
import { ScriptedModel } from './script/model.ts';
import { Gates } from './wire/gates.ts';
import { RequestLog } from './wire/log.ts';

/** How a simulator behaves; all members may be changed while it runs. */
export type Settings = {
  /** The only API key that is accepted; `undefined` accepts any, and none. */
  requiredKey: string | undefined;
  /** The answer to a WebSocket upgrade of the Responses path; 101 accepts it. */
  webSocketStatus: 101 | 404 | 426;
  /** Window in tokens per model id, in place of the model's own. `*` stands for all others. */
  windows: Readonly<Record<string, number>>;
  /** Characters per token of the token rule. */
  charactersPerToken: number;
  /** Simulator time between a whole request and the beginning of its answer, faults included. */
  latencyMs: number;
  /** Rate limits per credential and model; none by default. */
  rateLimits: RateLimits;
  rules: Rules;
  /**
   * What a broken binding of thinking to its prefix does; `model` follows the model's own default. `dropped` leaves the
   * thinking out as `drop_block` does, without being asked.
   */
  binding: 'model' | 'enforced' | 'dropped' | 'recorded' | 'off';
};

/** Everything a running simulator holds. */
export type World = {
  readonly settings: Settings;
  readonly clock: SimulatorClock;
  readonly model: ScriptedModel;
  readonly faults: FaultQueue;
  readonly gates: Gates;
  readonly log: RequestLog;
  readonly cache: PromptCache;
  readonly inputCache: InputCache;
  readonly rates: RateBuckets;
  readonly threads: Threads;
  readonly diagnostics: CacheDiagnostics;
  readonly fallbacks: FallbackPlaces;
  readonly stored: ResponseStore;
  /** Signatures of each Messages answer with tool calls, in order, by the id of its first call. */
  readonly issued: Map<string, readonly string[]>;
  /** Items of Responses answers that were given out after reasoning, by their id: that reasoning. */
  readonly issuedItems: Map<string, { readonly id: string; readonly ciphertext: string }>;
  /** Key of all signatures and ciphertexts. */
  readonly secret: string;
  /** Ids for a request: they follow from its body and from how often that body came before. */
  readonly idsFor: (body: Buffer) => IdMaker;
};

/** The default settings with some changed. */
export function settingsWith(changes: Partial<Settings> = {}): Settings {
  return {
    requiredKey: undefined,
    webSocketStatus: 426,
    windows: {},
    charactersPerToken: 4,
    latencyMs: 0,
    rateLimits: {},
    rules: rulesWith(),
    binding: 'model',
    ...changes,
  };
}

/** A fresh world. `seed` goes into ids and signatures. */
export function createWorld(options: {
  readonly seed: string;
  readonly settings: Settings;
  readonly clock: SimulatorClock;
  /** Bytes of bodies that the log keeps. */
  readonly logBytes?: number;
}): World {
  const seen = new Map<string, number>();
  return {
    settings: options.settings,
    clock: options.clock,
    model: new ScriptedModel(),
    faults: new FaultQueue(),
    gates: new Gates(),
    log: new RequestLog(options.logBytes ?? 512 * 1024 * 1024),
    cache: new PromptCache(),
    inputCache: new InputCache(),
    rates: new RateBuckets(),
    threads: new Threads(),
    diagnostics: new CacheDiagnostics(),
    fallbacks: new FallbackPlaces(),
    stored: new ResponseStore(),
    issued: new Map(),
    issuedItems: new Map(),
    secret: secretOf(options.seed),
    idsFor: (body) => {
      const digest = sha256(body);
      const count = (seen.get(digest) ?? 0) + 1;
      seen.set(digest, count);
      return idMaker(`${options.seed}/${digest}/${count}`);
    },
  };
}

/** The key of all signatures and ciphertexts of a simulator with that seed. */
export function secretOf(seed = 'simulator'): string {
  return sha256(`secret/${seed}`);
}

/** The window of a model in tokens, as the settings have it or else the model's own. */
export function windowOf(settings: Settings, model: string, own: number): number {
  return settings.windows[model] ?? settings.windows['*'] ?? own;
}
