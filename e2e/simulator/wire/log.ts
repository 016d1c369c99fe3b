import type { JsonObject } from '../json.ts';
import type { Protocol, TurnKind } from '../script/kinds.ts';

/** How an answer ended: whole, closed by the client, reset or cut by a fault, or left hanging by a fault. */
export type Ending = 'finished' | 'client-closed' | 'reset' | 'cut' | 'held';

/** What was answered to a request. `body` are the body bytes as written, content coding included, framing not. */
export type LoggedAnswer = {
  status: number;
  headers: readonly (readonly [string, string])[];
  body: Buffer;
  startedAtMs: number;
  endedAtMs: number | undefined;
  ending: Ending | undefined;
};

/** What the simulator understood of a model request. */
export type LoggedReading = {
  readonly protocol: Protocol;
  readonly kind: TurnKind;
  readonly model: string;
  readonly stream: boolean;
  readonly prompt: string;
  readonly round: number;
  readonly scenario: string;
};

/**
 * One received request. A `response.create` event on a WebSocket is one with the method `WS` and the headers of the
 * upgrade. `headers` keep order, case and duplicates; `body` are the received bytes after transfer
 * coding, before content coding. Times are the simulator's, in Unix milliseconds.
 */
export type LoggedRequest = {
  readonly number: number;
  readonly connection: number;
  readonly method: string;
  readonly target: string;
  readonly httpVersion: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly receivedAtMs: number;
  body: Buffer;
  /** False until the whole body arrived, for ever if the client broke off before. */
  bodyComplete: boolean;
  reading: LoggedReading | undefined;
  /** The kind of the fault that struck, if one did. */
  fault: string | undefined;
  answer: LoggedAnswer | undefined;
  /** Set when the client closed the connection before its answer was whole. */
  clientClosedAtMs: number | undefined;
  usage: JsonObject | undefined;
  charge: Charge | undefined;
};

/** What a request costs at list price, in nano-dollars (10^-9 USD), by part. */
export type Charge = {
  readonly model: string;
  readonly lines: readonly { readonly part: string; readonly tokens: number; readonly nanoDollars: number }[];
  readonly nanoDollars: number;
};

type Watcher = () => void;

/**
 * The log of all requests but those to the simulator's own control paths. It holds so many bytes of bodies and no
 * more: then the oldest entries leave it.
 */
export class RequestLog {
  readonly #limitBytes: number;
  #entries: LoggedRequest[] = [];
  #count = 0;
  readonly #watchers = new Set<Watcher>();

  /** `limitBytes` bounds the bodies of requests and answers together. */
  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** All entries, oldest first. Entries fill up while their request runs. */
  get entries(): readonly LoggedRequest[] {
    return this.#entries;
  }

  /** Opens an entry and numbers it from 1. */
  open(
    seed: Pick<
      LoggedRequest,
      'connection' | 'method' | 'target' | 'httpVersion' | 'headers' | 'receivedAtMs'
    >,
  ) {
    this.#count += 1;
    const entry: LoggedRequest = {
      number: this.#count,
      ...seed,
      body: Buffer.alloc(0),
      bodyComplete: false,
      reading: undefined,
      fault: undefined,
      answer: undefined,
      clientClosedAtMs: undefined,
      usage: undefined,
      charge: undefined,
    };
    this.#entries.push(entry);
    this.changed();
    return entry;
  }

  /** Tells the waiting that an entry changed. */
  changed(): void {
    this.#trim();
    for (const watcher of [...this.#watchers]) watcher();
  }

  #trim(): void {
    let bytes = 0;
    for (let index = this.#entries.length - 1; index >= 0; index -= 1) {
      const entry = this.#entries[index];
      bytes += (entry?.body.length ?? 0) + (entry?.answer?.body.length ?? 0);
      if (bytes <= this.#limitBytes || index === this.#entries.length - 1) continue;
      this.#entries = this.#entries.slice(index + 1);
      return;
    }
  }

  /** Forgets all entries; numbers go on. */
  clear(): void {
    this.#entries = [];
  }

  /**
   * The first entry for which the test holds, as soon as there is one. Rejects after `timeoutMs` of real time
   * (default 10 s) with what was seen instead.
   */
  waitFor(test: (entry: LoggedRequest) => boolean, timeoutMs = 10_000): Promise<LoggedRequest> {
    return new Promise((resolve, reject) => {
      const done = () => {
        clearTimeout(timer);
        this.#watchers.delete(look);
      };
      const look = () => {
        const found = this.#entries.find(test);
        if (found === undefined) return;
        done();
        resolve(found);
      };
      const timer = setTimeout(() => {
        done();
        const seen = this.#entries
          .map((entry) => `${entry.number} ${entry.method} ${entry.target}`)
          .join('; ');
        reject(new Error(`No request of that kind within ${timeoutMs} ms. Seen: ${seen || 'none'}.`));
      }, timeoutMs);
      this.#watchers.add(look);
      look();
    });
  }
}

/** Value of the first header of that name, in any case. */
export function headerOf(headers: readonly (readonly [string, string])[], name: string): string | undefined {
  const wanted = name.toLowerCase();
  return headers.find(([key]) => key.toLowerCase() === wanted)?.[1];
}
