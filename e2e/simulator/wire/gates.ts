/** Named gates that hold an answer back until they are opened. A gate once opened stays open until it is shut. */
export class Gates {
  readonly #open = new Set<string>();
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Opens a gate and lets all who wait through. */
  open(name: string): void {
    this.#open.add(name);
    const waiting = this.#waiting.get(name) ?? new Set();
    this.#waiting.delete(name);
    for (const go of [...waiting]) go();
  }

  /** Shuts a gate again. */
  shut(name: string): void {
    this.#open.delete(name);
  }

  /** Resolves when the gate is open or the signal fires. */
  pass(name: string, signal: AbortSignal): Promise<void> {
    if (this.#open.has(name) || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(name) ?? new Set();
      const go = () => {
        waiting.delete(go);
        signal.removeEventListener('abort', go);
        resolve();
      };
      waiting.add(go);
      this.#waiting.set(name, waiting);
      signal.addEventListener('abort', go, { once: true });
    });
  }
}
