/** A stretch of what the model saw, in its order. Messages are named by their hashes in hex, first and last of a stretch. */
export type SeenRun =
  | { readonly is: 'kept' | 'left_out'; readonly first: string; readonly last: string }
  | {
      readonly is: 'changed';
      readonly message: string;
      readonly what: 'trimmed' | 'filled' | 'reasoning_left_out' | 'joined';
    }
  | {
      readonly is: 'ours';
      readonly what: 'tool' | 'head' | 'memory' | 'index' | 'hidden_round';
      readonly bytes: number;
      /** Id of the record of a hidden round; null for the others. */
      readonly record: string | null;
    };

/** What the model saw of a request whose conversation the gateway may change. */
export interface RequestView {
  /** The message at which the layout in force was made, hex; null: no layout. */
  readonly layout: string | null;
  /** Why this request made it; null: it was made before, or there is none. */
  readonly made: string | null;
  /** Why nothing new was made, in the words of the decision. */
  readonly because: string | null;
  /** Why the request went out as its client sent it although something was to change; null: it did not. */
  readonly unedited: { readonly reason: string; readonly detail: string } | null;
  /** None where the model saw what the client sent. */
  readonly runs: readonly SeenRun[];
  /** Bytes of the body that was sent. */
  readonly sentBytes: number;
  /** Estimates: of the prompt as the client sent it, as it went out, and the limit (null: the window is unknown). */
  readonly tokens: { readonly client: number; readonly sent: number; readonly limit: number | null };
  /** The form that went out once the provider had refused this one; left out: there was none. */
  readonly again?: SecondView;
}

/** A second form of a request, and what its first was refused as. */
export interface SecondView {
  /** `too_large`, `binding` or `pairing`. */
  readonly refused: string;
  readonly view: Omit<RequestView, 'again'>;
}
