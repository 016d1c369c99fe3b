/** Money: a whole number of nano-dollars (10⁻⁹ USD). One USD per million tokens is 1,000 nano-dollars per token. */
export type NanoDollars = bigint & { readonly __unit: 'nano-dollars' };

/** Brands a whole number of nano-dollars. */
export function nanoDollars(value: bigint | number): NanoDollars {
  return BigInt(value) as NanoDollars;
}

/**
 * `amount × numerator / denominator`, rounded half away from zero, so that an amount and its negative round alike.
 * @param denominator above zero
 */
export function scaled(amount: bigint, numerator: bigint, denominator: bigint): NanoDollars {
  const product = amount * numerator;
  const half = denominator / 2n;
  return ((product < 0n ? product - half : product + half) / denominator) as NanoDollars;
}

/** Dollars as a decimal text with nine places: `0.001250000`, `-3.000000000`. Exact. */
export function dollarsText(amount: NanoDollars): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(10, '0');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -9)}.${digits.slice(-9)}`;
}
