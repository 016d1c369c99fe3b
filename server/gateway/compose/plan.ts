import type { PiecedBody } from '../pieced-body.ts';
import type { Edit as NamedEdit } from '../validator/index.ts';

/** What tells each element of a request again, one entry for each; see the adapters' `anchorsIn`. */
export type Anchors = readonly (readonly string[])[];

/** What a layout keeps of the older part. The same for as long as the older elements are. */
export interface OlderPart {
  /** JSON texts of parts: what the agent put there for the model to live by (Messages; on Responses it stays by items). */
  readonly head: readonly string[];
  /** Elements that stay whole, in their order: what loads or changes tools, the head's items, a provider's compaction. */
  readonly stays: readonly number[];
}

/** A layout to be put into a request. Indices are of the client's elements (`messages`, `input`). */
export interface PlannedLayout {
  /** Oldest element of the recent part. */
  readonly at: number;
  /** The running turn's typed element where it stands before `at`: it stays in view. */
  readonly runningTyped: number | null;
  readonly memory: string | null;
  readonly index: string;
  /** The lifetime of a cache mark at the end of the index, where one is free (Messages API). */
  readonly cacheMark: '5m' | '1h' | null;
  /** What `olderPartOf` gave for the elements before `at`; left out: they are read again. */
  readonly older?: OlderPart;
}

/** A tool result that is sent with another text. */
export interface PlannedResult {
  readonly element: number;
  /** The part of a message; null on Responses, where the element is the result. */
  readonly part: number | null;
  readonly kind: 'trimmed-result' | 'filled-result';
  readonly text: string;
}

/** The memory part of a request that no layout stands in. */
export interface PlannedMemory {
  /** The first element with typed words: the part goes into it (Messages), or an item in front of it (Responses). */
  readonly at: number;
  readonly text: string;
}

/** What becomes of a client's request. With nothing in it the body stays the very same. */
export interface BodyPlan {
  /** Our tool's definition as JSON text; null: none is added. */
  readonly tool: string | null;
  readonly layout: PlannedLayout | null;
  /** Left out: none, or the layout's own stands in its place. */
  readonly memory?: PlannedMemory;
  /** Kept records of hidden rounds that may belong into this request (see the adapter's own type). */
  readonly hidden: readonly unknown[];
  /** What `anchorsIn` gave for the elements; left out: they are read for it where there are hidden rounds. */
  readonly anchors?: Anchors;
  readonly results: readonly PlannedResult[];
  /** True for an element whose reasoning was made before the generation in force: it is left out (with hidden rounds of it). */
  readonly leavesReasoning: (element: number) => boolean;
  /**
   * True for the form in which a request goes out once more when the provider has refused the first: the client's own bytes
   * without that reasoning, also on Responses, where it otherwise stays. Hidden rounds are not put back then, and reasoning
   * that led to nothing but a hidden call goes too.
   */
  readonly fallBack?: boolean;
}

/** A stretch of the model's view, in its order. Indices are of the client's elements, `[from, to)`. */
export type ViewRun =
  | { readonly is: 'kept'; readonly from: number; readonly to: number }
  | { readonly is: 'left_out'; readonly from: number; readonly to: number }
  | {
      readonly is: 'changed';
      readonly element: number;
      readonly what: 'trimmed' | 'filled' | 'reasoning_left_out' | 'joined';
    }
  | {
      readonly is: 'ours';
      readonly what: 'tool' | 'head' | 'memory' | 'index' | 'hidden_round';
      readonly bytes: number;
      /** Id of the record of a hidden round; null for the others. */
      readonly record: string | null;
    };

/** A body that was put together. */
export interface ComposedBody {
  /** The client's own buffer alone where nothing was changed. */
  readonly body: PiecedBody;
  /** Every change, for the validator; none: nothing was changed. */
  readonly named: readonly NamedEdit[];
  /** What the model sees, for the console. */
  readonly runs: readonly ViewRun[];
}

/** Why a body cannot be composed as planned: it then goes out without the layout, with this reason. */
export interface NotComposed {
  readonly unknown: string;
}
