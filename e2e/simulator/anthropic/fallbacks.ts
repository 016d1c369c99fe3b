import { sha256 } from '../ids.ts';
import { asObjects, type JsonObject } from '../json.ts';
import { type AnthropicError, invalidRequest } from './errors.ts';

/** Where `fallback` blocks stood in the answers that held them: between which blocks. */
export class FallbackPlaces {
  readonly #places = new Map<string, Set<string>>();

  /** Forgets everything. */
  clear(): void {
    this.#places.clear();
  }

  /** Keeps the places of an answer's fallback blocks. */
  keep(blocks: readonly JsonObject[]): void {
    for (const [at, block] of blocks.entries()) {
      if (block.type !== 'fallback') continue;
      const places = this.#places.get(keyOf(block)) ?? new Set();
      places.add(placeOf(blocks, at));
      this.#places.set(keyOf(block), places);
    }
  }

  /** Refuses a fallback block that was given out and stands elsewhere now. Unknown ones are let through. */
  error(body: JsonObject): AnthropicError | undefined {
    for (const [index, message] of asObjects(body.messages).entries()) {
      const blocks = asObjects(message.content);
      for (const [at, block] of blocks.entries()) {
        const places = block.type === 'fallback' ? this.#places.get(keyOf(block)) : undefined;
        if (places === undefined || places.has(placeOf(blocks, at))) continue;
        return invalidRequest(
          `messages.${index}.content.${at}: a \`fallback\` block must stay at its position in the response that held it`,
        );
      }
    }
    return undefined;
  }
}

/** The trigger is accepted and ignored, so it is no part of the key. */
function keyOf(block: JsonObject): string {
  return sha256(JSON.stringify([block.from ?? null, block.to ?? null]));
}

function placeOf(blocks: readonly JsonObject[], at: number): string {
  const print = (block: JsonObject | undefined) => {
    const { cache_control: _mark, ...rest } = block ?? {};
    return Object.keys(rest)
      .sort()
      .map((key) => `${key}=${JSON.stringify(rest[key])}`)
      .join(';');
  };
  return sha256(`${print(blocks[at - 1])}\n${print(blocks[at + 1])}`);
}
