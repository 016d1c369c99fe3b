import type { AgentForms, Identity, Message, Scan, Slice, Usage } from '../conversation/index.ts';
import type { Door } from '../kernel/env.ts';
import type { CallUsage } from '../ledger/index.ts';
import type { ElementHints } from './reading/injected.ts';

/** The head of a request as the adapters may see it: names in lower case, credentials taken out. */
export interface RequestHead {
  readonly door: Door;
  readonly method: string;
  /** Path and query behind the door, beginning with `/`. */
  readonly target: string;
  readonly headers: ReadonlyMap<string, string>;
}

/** What one pass over a body found. Offsets are into the decoded body. */
export interface ReadRequest {
  readonly identity: Identity;
  readonly model: string | null;
  readonly stream: boolean;
  /** The entries of `messages` or `input`, in order. A bare string `input` is one entry. */
  readonly elements: readonly Slice[];
  /** The outer fields, and the entries of those that list something. */
  readonly scan: Scan;
  /** System prompt, tools and parameters: what a preamble keeps, each with its field name, in body order. */
  readonly preamble: readonly { readonly name: string; readonly slice: Slice }[];
}

/** What the provider's answer was. */
export interface ReadAnswer {
  /** One message (Anthropic) or one per output item (Responses), in order; none where there was no content. */
  readonly messages: readonly Message[];
  readonly providerId: string | null;
  readonly model: string | null;
  readonly stopReason: string | null;
  readonly usage: Usage | null;
  /** The same as it is billed, for the ledger. */
  readonly billed: CallUsage | null;
  /** True only if the protocol's own ending arrived (`message_stop`, `response.completed`, a whole JSON body). */
  readonly complete: boolean;
  /** The provider's error, as a status, event or response said it. */
  readonly error: { readonly type: string; readonly message: string } | null;
}

/** A protocol's words turned into ours. Pure; never throws on any bytes (what cannot be read is null or unknown). */
export interface ProtocolAdapter {
  readonly protocol: 'anthropic' | 'openai';
  /** What the request is by method and path alone, before a body is looked at. */
  routeOf(head: RequestHead): 'generation' | 'count' | 'other';
  /** Finds identity, elements and preamble; null where the body is not an object that can be scanned. */
  readRequest(head: RequestHead, body: Uint8Array): ReadRequest | null;
  /**
   * Parses one element. Bytes that are not JSON give one `unknown` item that holds them. With `hints` the words that an
   * agent puts into a person's message are told by that agent's rules.
   */
  parseMessage(element: Uint8Array, hints?: ElementHints): Message;
  /** How the protocol's agents change what they send again. */
  readonly forms: AgentForms;
  /** Ids of the calls that an element answers, where it holds results and nothing else; null: it has to be parsed. */
  resultsAlone(element: Uint8Array): readonly string[] | null;
  /** Whether an element stays in the model's view whatever a layout leaves out: it changes tools or configuration. */
  staysInView(element: Uint8Array): boolean;
  /**
   * What hidden rounds beside an element are found by, and the chain of answers behind it.
   * @param chain that before it; empty at the beginning
   */
  anchorsOf(
    element: Uint8Array,
    chain: string,
  ): { readonly anchors: readonly string[]; readonly chain: string };
  /** Whether everything up to this element is a provider's own compaction, which is never cut or preceded. */
  closesWindow(element: Uint8Array): boolean;
  /** Reads a decoded answer, whole or broken off; `contentType` as the response said it. */
  readAnswer(status: number, contentType: string, body: Uint8Array): ReadAnswer;
}
