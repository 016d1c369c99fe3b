import type { JsonObject } from './json.ts';
import type { Protocol, TurnKind } from './script/kinds.ts';

/** A content coding that an answer can be sent in. */
export type Coding = 'gzip' | 'br' | 'deflate' | 'zstd';

/**
 * Where in an answer's body a fault strikes: after so many body bytes, or after so many stream events. With `pauseMs`
 * so much simulator time passes between the bytes before it and a fault that ends the connection, so that the client
 * has them for certain (a reset throws away what is still on its way).
 */
export type Place = {
  readonly afterBytes?: number;
  readonly afterEvents?: number;
  readonly pauseMs?: number;
};

/**
 * A fault on demand.
 * - `status`: an error in the provider's shape (`type` and `message` may be set), or `body` as it stands.
 *   `retryAfter` is sent as the header, in seconds or as the given text.
 * - `too-long`: the prompt does not fit, in the provider's words; `inStream` (Responses) as `response.failed`.
 * - `stream-error`: the stream breaks off with the provider's error event (default: overloaded). Only streams.
 * - `failed`: Responses only: `response.failed` with this code. Only streams.
 * - `reset`: the connection is reset; without a place, before any header.
 * - `end`: the body ends cleanly without its ending; with `broken` the connection closes without the last chunk.
 * - `silence`: nothing more is sent and the connection stays: `accept` (no header), `headers`, or at a place.
 * - `slow`: the first byte comes after so much simulator time. `gate`: it comes when that gate is opened.
 * - `garbage`: status 200 and a body that is not of the protocol.
 * - `redirect`: a 3xx with a location.
 * - `half-open`: the sending side is closed at a place, the receiving side stays open.
 * - `trickle`: pieces of so many bytes with a pause of simulator time between them.
 * - `flood`: so many extra bytes of comments in the body (events' streams) or of white space (JSON).
 * - `encoded`: the body in a content coding; `wrong` names another coding in the header than the one used.
 * - `raw`: these bytes instead of a whole HTTP answer, then the connection ends, is reset or stays.
 */
export type Fault =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly type?: string;
      readonly code?: string;
      readonly message?: string;
      readonly body?: string;
      readonly contentType?: string;
      readonly retryAfter?: number | string;
      readonly headers?: readonly (readonly [string, string])[];
      readonly details?: JsonObject;
    }
  | {
      readonly kind: 'too-long';
      readonly tokens?: number;
      readonly maximum?: number;
      readonly inStream?: boolean;
    }
  | ({ readonly kind: 'stream-error'; readonly type?: string; readonly message?: string } & Place)
  | ({ readonly kind: 'failed'; readonly code: string; readonly message?: string } & Place)
  | ({ readonly kind: 'reset' } & Place)
  | ({ readonly kind: 'end'; readonly broken?: boolean } & Place)
  | ({ readonly kind: 'silence'; readonly from: 'accept' | 'headers' | 'body' } & Place)
  | { readonly kind: 'slow'; readonly firstByteMs: number }
  | { readonly kind: 'gate'; readonly name: string; readonly at?: 'headers' | 'body' }
  | {
      readonly kind: 'garbage';
      readonly body?: string;
      readonly base64?: string;
      readonly contentType?: string;
    }
  | { readonly kind: 'redirect'; readonly status: number; readonly location: string }
  | ({ readonly kind: 'half-open' } & Place)
  | { readonly kind: 'trickle'; readonly bytes: number; readonly everyMs: number }
  | { readonly kind: 'flood'; readonly bytes: number }
  | { readonly kind: 'encoded'; readonly coding: Coding; readonly wrong?: Coding }
  | {
      readonly kind: 'raw';
      readonly text?: string;
      readonly base64?: string;
      readonly ending: 'end' | 'reset' | 'hold';
    };

/** Which requests a fault strikes; all given members must hold. An empty matcher strikes every model request. */
export type FaultMatcher = {
  readonly protocol?: Protocol;
  readonly kind?: TurnKind;
  /** `true`: streaming requests only; `false`: only those that do not stream. */
  readonly stream?: boolean;
  /** A part of the typed prompt. */
  readonly prompt?: string;
  /** A part of the request's target (path and query). Given, it also strikes requests that are not model requests. */
  readonly target?: string;
  readonly model?: string;
};

/** A fault with its matcher; it strikes `times` requests (default 1), after `skip` matching ones went unharmed. */
export type FaultRule = {
  readonly fault: Fault;
  readonly when?: FaultMatcher;
  readonly times?: number;
  readonly skip?: number;
};

/** What a fault's matcher may look at. */
export type FaultSubject = {
  readonly target: string;
  readonly protocol: Protocol | undefined;
  readonly isModelRequest: boolean;
  readonly stream: boolean;
  readonly kind: TurnKind | undefined;
  readonly prompt: string | undefined;
  readonly model: string | undefined;
};

const ONLY_STREAMS: ReadonlySet<Fault['kind']> = new Set(['stream-error', 'failed'] as const);

type Armed = { readonly rule: FaultRule; left: number; skip: number };

/** The faults that wait to strike, in the order in which they were set. */
export class FaultQueue {
  #armed: Armed[] = [];

  /** Arms a fault. */
  add(rule: FaultRule): void {
    this.#armed.push({ rule, left: rule.times ?? 1, skip: rule.skip ?? 0 });
  }

  /** Disarms all of them. */
  clear(): void {
    this.#armed = [];
  }

  /** How many strikes are left in all. */
  get left(): number {
    return this.#armed.reduce((sum, armed) => sum + armed.left, 0);
  }

  /** The fault for this request, used up by it; `undefined` when none strikes. */
  take(subject: FaultSubject): Fault | undefined {
    for (const armed of this.#armed) {
      if (!strikes(armed.rule.when ?? {}, subject)) continue;
      if (ONLY_STREAMS.has(armed.rule.fault.kind) && !subject.stream) continue;
      if (armed.skip > 0) {
        armed.skip -= 1;
        continue;
      }
      armed.left -= 1;
      if (armed.left <= 0) this.#armed = this.#armed.filter((other) => other !== armed);
      return armed.rule.fault;
    }
    return undefined;
  }
}

function strikes(when: FaultMatcher, subject: FaultSubject): boolean {
  if (when.target !== undefined ? !subject.target.includes(when.target) : !subject.isModelRequest)
    return false;
  if (when.protocol !== undefined && when.protocol !== subject.protocol) return false;
  if (when.kind !== undefined && when.kind !== subject.kind) return false;
  if (when.stream !== undefined && when.stream !== subject.stream) return false;
  if (when.prompt !== undefined && !(subject.prompt ?? '').includes(when.prompt)) return false;
  return when.model === undefined || when.model === subject.model;
}
