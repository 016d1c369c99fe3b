import type { Scan, Slice } from '../../conversation/index.ts';
import type { ProtocolAdapter, ReadRequest, RequestHead } from '../adapter.ts';
import { composeMessages } from '../anthropic/compose.ts';
import { headOf } from '../anthropic/head.ts';
import { olderMessages } from '../anthropic/older.ts';
import { type ReasoningForm, reasoningForm } from '../anthropic/reasoning-form.ts';
import { cacheLifetimeOf, estimateBytes, estimateText, limitFor, markLifetime } from '../estimate/index.ts';
import { composeItems } from '../openai/compose.ts';
import { olderItems } from '../openai/older.ts';
import type { BodyPlan, ComposedBody, NotComposed, OlderPart } from './plan.ts';

/** What a request's protocol, model and agent say of how it may be changed. */
export interface RequestRules {
  /** The context limit in tokens, by what a person set; null: the window is unknown. */
  readonly limitOf: (setting: number | null) => number | null;
  /** How long the provider keeps the prompt, and what a mark at the end of an index lives, by the client's own markers. */
  readonly cache: { readonly lifetimeMs: number; readonly mark: '5m' | '1h' | null };
  /** Estimated tokens of what the agent put in the conversation for the model to live by: it stays whatever is cut. */
  readonly headTokens: () => number;
  /** What may be done with the reasoning of the running turn. */
  readonly reasoning: ReasoningForm;
  readonly compose: (
    body: Buffer,
    scan: Scan,
    elements: readonly Slice[],
    plan: BodyPlan,
  ) => ComposedBody | NotComposed;
  readonly olderPart: (at: number) => OlderPart | NotComposed;
}

/** The rules of a request. */
export function rulesOf(
  adapter: ProtocolAdapter,
  head: RequestHead,
  read: ReadRequest,
  body: Buffer,
): RequestRules {
  const isMessages = adapter.protocol === 'anthropic';
  const { elements, scan, identity, model } = read;
  return {
    limitOf: (setting) => limitFor(identity, model, head.headers, setting),
    cache: {
      lifetimeMs: cacheLifetimeOf(adapter.protocol, body, scan, model),
      // Asked for when a layout is made: it looks through the whole body.
      get mark() {
        return isMessages ? markLifetime(body, scan) : null;
      },
    },
    headTokens: isMessages
      ? () => headOf(body, elements).reduce((sum, part) => sum + estimateText(part.json), 0)
      : () =>
          elements
            .map(({ start, end }) => body.subarray(start, end))
            .filter((element) => adapter.staysInView(element))
            .reduce((sum, element) => sum + estimateBytes(element), 0),
    reasoning: isMessages ? reasoningForm(model, body, scan) : 'leave_out',
    compose: isMessages ? composeMessages : composeItems,
    olderPart: isMessages
      ? (at) => olderMessages(body, elements, at)
      : (at) => olderItems(body, elements, at),
  };
}
