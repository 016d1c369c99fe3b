import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import type { Scenario, ScenarioFunction, Simulator } from '../../simulator/index.ts';
import { ArchiveClient } from './archive.ts';
import { collectOutcome, expectSameForAgent, expectSameOutcome } from './outcome.ts';
import { type Product, type ServedBy, startProduct } from './product.ts';
import { startProvider } from './provider.ts';
import { makeScratch, makeScratchFolder, removeScratchFolder } from './scratch.ts';
import { setRecall } from './settings.ts';
import { Side } from './side.ts';
import { type Exchange, startTap, type Tap } from './tap.ts';
import { type ViewOfRequest, viewsOf } from './views.ts';
import { expectUnchangedBytes } from './wire.ts';

/** A scripted conversation that is played on both ways. */
export interface Play {
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** What the model says, by prompt. */
  readonly script: readonly (Scenario | ScenarioFunction)[];
  /** Starts the agents. Called once for each way; must do the same on both. */
  readonly run: (side: Side) => Promise<void>;
  /** Compares token counts and prices too; only where prompts have exactly one length. */
  readonly keepUsage?: boolean;
  /** Names of members that may differ between the ways in this scenario; each with its reason beside it. */
  readonly leaveOut?: readonly string[];
  /**
   * Compares which messages the agent stores, not the order and number of its lines: for scenarios in which two runs
   * of the agent by itself differ in when they write a line.
   */
  readonly storedInAnyOrder?: boolean;
}

/**
 * Whether conversations get the retrieval tool and layouts. Off: every byte passes unchanged. On: the agents must not
 * notice.
 */
export type Recall = 'on' | 'off';

/** Both sides after a play, and what went over the wire between agents and gateway. */
export interface Played {
  readonly direct: Side;
  readonly routed: Side;
  readonly exchanges: readonly Exchange[];
}

/** The simulators of both ways, the product and the wire before it; shared by the plays of one test file. */
export class Stage {
  readonly #direct: Simulator;
  readonly #routed: Simulator;
  readonly #tap: Tap;
  readonly #product: Product | null;
  readonly #folder: string;
  readonly #servedBy: ServedBy;
  readonly #recall: Recall;
  #plays = 0;

  private constructor(parts: {
    direct: Simulator;
    routed: Simulator;
    tap: Tap;
    product: Product | null;
    folder: string;
    servedBy: ServedBy;
    recall: Recall;
  }) {
    this.#direct = parts.direct;
    this.#routed = parts.routed;
    this.#tap = parts.tap;
    this.#product = parts.product;
    this.#folder = parts.folder;
    this.#servedBy = parts.servedBy;
    this.#recall = parts.recall;
  }

  /**
   * Starts everything on free ports and a scratch folder. With `CLIENTS_WITHOUT_GATEWAY=1` both ways go to their
   * simulator directly: the control that shows what two runs of an agent differ in by themselves.
   */
  static async open(servedBy: ServedBy = 'own', recall: Recall = 'off'): Promise<Stage> {
    const folder = makeScratchFolder();
    const [direct, routed] = await Promise.all([startProvider(), startProvider()]);
    const product = withoutGateway() ? null : await openProduct(folder, routed.url, servedBy);
    if (product !== null) await setRecall(product.url, { recall: recall === 'on' });
    const tap = await startTap(product?.port ?? routed.port);
    return new Stage({ direct, routed, tap, product, folder, servedBy, recall });
  }

  /** The archive of the product, or null in the control. */
  get archive(): ArchiveClient | null {
    return this.#product === null ? null : new ArchiveClient(this.#product.url);
  }

  /** What the product says of its last requests, oldest first; none in the control. */
  async views(): Promise<readonly ViewOfRequest[]> {
    return this.#product === null ? [] : viewsOf(this.#product.url);
  }

  /** What the product has written to its output so far. */
  get output(): string {
    return this.#product?.output() ?? '';
  }

  /**
   * Plays a scenario on both ways at once and asserts that agents and provider cannot tell them apart: same words
   * shown, same conversations stored, same files, same requests; and every byte unchanged on its way. With Recall on
   * the provider can, and only the agents cannot.
   */
  async play(play: Play): Promise<Played> {
    this.#plays += 1;
    const folder = join(this.#folder, String(this.#plays));
    this.#tap.clear();
    const tap = `http://127.0.0.1:${this.#tap.port}`;
    const direct = this.#side('direct', folder, this.#direct, play, addressesAt(this.#direct.url, '', ''));
    const routed = this.#side(
      'routed',
      folder,
      this.#routed,
      play,
      addressesAt(tap, '/anthropic', '/openai'),
    );
    await Promise.all([play.run(direct), play.run(routed)]);
    const rules = {
      keepUsage: play.keepUsage === true,
      leaveOut: play.leaveOut ?? [],
      storedInAnyOrder: play.storedInAnyOrder === true,
    };
    const outcomes = [collectOutcome(direct, rules), collectOutcome(routed, rules)] as const;
    if (this.#recall === 'on') expectSameForAgent(...outcomes);
    else {
      expectSameOutcome(...outcomes);
      expectUnchangedBytes(this.#tap.exchanges(), this.#routed.requests.entries, this.#servedBy);
    }
    return { direct, routed, exchanges: this.#tap.exchanges() };
  }

  /** Stops everything and removes the scratch folder. */
  async close(): Promise<void> {
    await this.#tap.stop();
    await this.#product?.stop();
    await Promise.all([this.#direct.stop(), this.#routed.stop()]);
    removeScratchFolder(this.#folder);
  }

  #side(
    way: 'direct' | 'routed',
    folder: string,
    simulator: Simulator,
    play: Play,
    addresses: Side['addresses'],
  ): Side {
    mkdirSync(folder, { recursive: true });
    const scratch = makeScratch(folder, way, play.files ?? {});
    simulator.reset();
    for (const scenario of play.script) simulator.script.add(scenario);
    return new Side(way, scratch, simulator, addresses);
  }
}

function addressesAt(url: string, anthropic: string, openai: string): Side['addresses'] {
  return { anthropic: `${url}${anthropic}`, openai: `${url}${openai}/v1` };
}

function withoutGateway(): boolean {
  return process.env.CLIENTS_WITHOUT_GATEWAY === '1';
}

function openProduct(folder: string, upstream: string, servedBy: ServedBy): Promise<Product> {
  return startProduct(join(folder, 'data'), { anthropic: upstream, openai: upstream }, servedBy);
}
