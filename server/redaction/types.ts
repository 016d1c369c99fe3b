/** What was found and how often, by type of mask (`email`, `aws_secret`, `private_key`, …). */
export type MaskCounts = Readonly<Record<string, number>>;

/** The result of masking one text. */
export interface Masked {
  /** The text with each secret replaced by `[masked:<type>:<12 hex digits>]`. */
  readonly text: string;
  readonly counts: MaskCounts;
}

/**
 * Masks secrets and e-mail addresses. The digits are a keyed hash of the secret, so that one secret has one mask in
 * an account. Deterministic; a mask is never masked again; a text without findings comes back as it was.
 */
export type Masker = (text: string, accountKey: Uint8Array) => Promise<Masked>;
