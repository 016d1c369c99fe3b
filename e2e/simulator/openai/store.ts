import { asObject, asObjects, asString, type Json, type JsonObject } from '../json.ts';
import { inputItems } from './cache.ts';
import { invalidInput, type OpenAiError } from './errors.ts';

/** Answers and conversations that are kept before the oldest leave. */
const KEPT = 1_000;

type Held = { readonly account: string; readonly items: readonly JsonObject[] };

/** Answers that one WebSocket connection remembers, stored or not, by their ids. */
export type ConnectionMemory = Map<string, readonly JsonObject[]>;

/** A body with the items that it refers to, or why they could not be had. */
export type ResolvedInput = { readonly body: JsonObject; readonly refusal: OpenAiError | undefined };

/** Stored answers with all that led to them, and conversations, each seen by its own account alone. */
export class ResponseStore {
  readonly #answers = new Map<string, Held>();
  readonly #conversations = new Map<string, Held>();

  /** Forgets everything. */
  clear(): void {
    this.#answers.clear();
    this.#conversations.clear();
  }

  /** Stores an answer: its whole input and its output. A conversation that it belongs to grows by both. */
  keep(id: string, account: string, items: readonly JsonObject[], conversation: string | undefined): void {
    put(this.#answers, id, { account, items });
    if (conversation !== undefined) put(this.#conversations, conversation, { account, items });
  }

  /** Makes a conversation. */
  create(id: string, account: string, items: readonly JsonObject[]): void {
    put(this.#conversations, id, { account, items });
  }

  /**
   * The body with what it refers to in its place: the items of an earlier answer or of a conversation before its own,
   * and stored items for references. What cannot be found stays, for the rules to refuse.
   */
  resolve(body: JsonObject, account: string, memory: ConnectionMemory | undefined): ResolvedInput {
    const previous = asString(body.previous_response_id);
    const conversation = conversationOf(body);
    if (previous !== undefined && conversation !== undefined) return { body, refusal: undefined };
    if (conversation !== undefined) {
      const held = this.#conversations.get(conversation);
      if (held?.account !== account) {
        const message = `Conversation with id '${conversation}' not found.`;
        return { body, refusal: { ...invalidInput(message, 'conversation', null), status: 404 } };
      }
      return { body: this.#referenced(withItems(body, held.items), account), refusal: undefined };
    }
    if (previous === undefined) return { body: this.#referenced(body, account), refusal: undefined };
    const held = this.#answers.get(previous);
    const items = memory?.get(previous) ?? (held?.account === account ? held.items : undefined);
    if (items === undefined) return { body, refusal: undefined };
    const { previous_response_id: _found, ...rest } = withItems(body, items);
    return { body: this.#referenced(rest, account), refusal: undefined };
  }

  #referenced(body: JsonObject, account: string): JsonObject {
    const items = asObjects(body.input);
    if (!items.some((item) => item.type === 'item_reference')) return body;
    const stored = new Map(
      [...this.#answers.values()]
        .filter((held) => held.account === account)
        .flatMap((held) => held.items.map((item) => [asString(item.id) ?? '', item] as const)),
    );
    const input: Json[] = items.map((item) =>
      item.type === 'item_reference' ? (stored.get(asString(item.id) ?? '') ?? item) : item,
    );
    return { ...body, input };
  }
}

function withItems(body: JsonObject, items: readonly JsonObject[]): JsonObject {
  return { ...body, input: [...items, ...inputItems(body)] };
}

/** The id of the conversation that a body names, as text or as an object. */
export function conversationOf(body: JsonObject): string | undefined {
  return asString(body.conversation) ?? asString(asObject(body.conversation)?.id);
}

function put(map: Map<string, Held>, id: string, held: Held): void {
  map.delete(id);
  map.set(id, held);
  const oldest = map.keys().next().value;
  if (map.size > KEPT && oldest !== undefined) map.delete(oldest);
}
