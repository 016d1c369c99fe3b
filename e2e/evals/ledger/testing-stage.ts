import type { Database } from '../../../server/db/index.ts';
import { type AnsweredRequest, createBooker } from '../../../server/gateway/booking/booker.ts';
import { ClaudeAgent, CodexAgent, type TestAgent } from '../../../server/gateway/compose/testing/clients.ts';
import { codeWordsModel, run } from '../../../server/gateway/compose/testing/model.ts';
import { startWorld, type World } from '../../../server/gateway/compose/testing/world.ts';
import { estimateJson } from '../../../server/gateway/estimate/index.ts';
import {
  createLedgerReader,
  createLedgerWriter,
  type LedgerReader,
  type LedgerRequest,
  PRICE_ROWS,
} from '../../../server/ledger/index.ts';
import { rulesWith } from '../../simulator/index.ts';
import type { Json } from '../../simulator/json.ts';
import { tokensOfLength, unitsOf } from '../../simulator/tokens.ts';

/** A world whose requests are booked, and what the simulated provider charged for them. */
export interface LedgerWorld extends World {
  readonly ledger: LedgerReader;
  /** Of the account, oldest first. */
  requests(): Promise<readonly LedgerRequest[]>;
  /** What the provider charged for all answered calls, in nano-dollars. */
  charged(): bigint;
  /** Time goes by for gateway and provider. */
  wait(ms: number): void;
  /** Why requests were not compared. */
  readonly failures: unknown[];
}

/** Start of every world's time. */
const START = Date.UTC(2026, 11, 1, 9);

/** How a world is started. */
export interface LedgerWorldOptions {
  /** Tokens are counted as the provider counts them; else they are estimated and calibrated. */
  readonly isExact: boolean;
  /** The Responses API tells what was read in steps of 128 tokens, as it is documented. */
  readonly inSteps: boolean;
  /** A fault that is planted in what the ledger is told. */
  readonly plant?: (request: AnsweredRequest) => AnsweredRequest;
}

/** Starts such a world. */
export async function startLedgerWorld(
  database: Database,
  { isExact, inSteps, plant = (request) => request }: LedgerWorldOptions,
): Promise<LedgerWorld> {
  const failures: unknown[] = [];
  const world = await startWorld(database, 20_000, {
    simulator: {
      startMs: START,
      frozen: true,
      settings: { binding: 'enforced', rules: rulesWith({ 'openai.cached-tokens-in-128s': inSteps }) },
    },
    booker: (accountKey) => {
      const booker = createBooker({
        ledger: createLedgerWriter(database.pool),
        accountKey,
        count: isExact ? countAsSimulated : estimateJson,
        isExact,
        prices: PRICE_ROWS,
        failed: (cause) => failures.push(cause),
      });
      return { book: (request) => booker.book(plant(request)) };
    },
  });
  world.simulator.script.add(codeWordsModel());
  const ledger = createLedgerReader(database.pool);
  return {
    ...world,
    ledger,
    failures,
    requests: () => ledger.requests(world.accountId, {}, { limit: 10_000, after: null }),
    charged: () =>
      world.simulator.requests.entries.reduce(
        (sum, { charge }) => sum + BigInt(charge?.nanoDollars ?? 0),
        0n,
      ),
    wait(ms) {
      world.clock.advance(ms);
      world.simulator.clock.advance(ms);
    },
  };
}

/** Tokens by the simulator's own rule. */
function countAsSimulated(block: unknown): number {
  return tokensOfLength(unitsOf(block as Json), { charactersPerToken: 4 });
}

/** An agent of each protocol. */
export const AGENTS: readonly { readonly name: string; readonly make: (base: string) => TestAgent }[] = [
  {
    name: 'Claude Code',
    make: (base) => new ClaudeAgent({ base, model: 'claude-opus-5-5', run, systemMessages: true }),
  },
  { name: 'Codex', make: (base) => new CodexAgent({ base, model: 'gpt-6.2-sol', run }) },
];
