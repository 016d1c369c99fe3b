/** A Buffer over the same memory, without a copy; also over shared memory. */
export function viewOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** True where both hold the same bytes. */
export function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && viewOf(left).equals(viewOf(right));
}

/** Lower-case hex of the bytes. */
export function hexOf(bytes: Uint8Array): string {
  return viewOf(bytes).toString('hex');
}
