/** What the tests with real agents run. */
export interface Share {
  /** Every variant of each test, as `npm run agents` runs them; else the first alone where they differ but in the model. */
  readonly isFull: boolean;
  /** The variants of a test that are run: OpenCode and Codex take their time to start. */
  of<Variant>(variants: readonly [Variant, ...Variant[]]): readonly Variant[];
}

const isFull = process.env.AGENTS === 'full';

/** The share of this run. */
export const share: Share = {
  isFull,
  of: (variants) => (isFull ? variants : variants.slice(0, 1)),
};
