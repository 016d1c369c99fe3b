/** Requests whose answers are awaited; beyond it the oldest are forgotten (their answers then keep only the outcome). */
const PENDING_LIMIT = 20_000;

/** Keeps what is awaited of a request; of too many the oldest are forgotten. */
export function keepAwaited<Entry>(entries: Map<string, Entry>, id: string, entry: Entry): void {
  entries.set(id, entry);
  if (entries.size <= PENDING_LIMIT) return;
  const [oldest] = entries.keys();
  if (oldest !== undefined) entries.delete(oldest);
}

/**
 * Bodies of requests whose answers are awaited, up to so many bytes together: the oldest make room for the newest, so that many
 * long answers at once take no memory for it, and an answer that never comes takes none for ever.
 */
export class AwaitedBodies {
  readonly #bodies = new Map<string, Uint8Array>();
  readonly #limitBytes: number;
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  keep(id: string, body: Uint8Array): void {
    if (this.#bodies.has(id) || body.byteLength > this.#limitBytes) return;
    for (const oldest of this.#bodies.keys()) {
      if (this.#bytes + body.byteLength <= this.#limitBytes) break;
      this.drop(oldest);
    }
    this.#bodies.set(id, body);
    this.#bytes += body.byteLength;
  }

  /** Null: it had to make room, or was too large. */
  of(id: string): Uint8Array | null {
    return this.#bodies.get(id) ?? null;
  }

  drop(id: string): void {
    this.#bytes -= this.#bodies.get(id)?.byteLength ?? 0;
    this.#bodies.delete(id);
  }
}
