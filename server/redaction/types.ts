/** What was found and how often, by type of mask (`email`, `aws_secret`, `private_key`, …). */
export type MaskCounts = Readonly<Record<string, number>>;

/** The result of masking one text. */
export interface Masked {
  /** The text with each secret replaced by `[masked:<type>:<12 hex digits>]`. */
  readonly text: string;
  readonly counts: MaskCounts;
}

/** A secret's place in a text: `[start, end)` in UTF-16 units, and the type its mask will name. */
export interface Finding {
  readonly start: number;
  readonly end: number;
  /** Lower-case letters, digits and underscores. */
  readonly type: string;
}
