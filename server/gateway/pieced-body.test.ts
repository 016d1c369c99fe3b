import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PiecedBody } from './pieced-body.ts';

/** Pieces on both sides of the size from which on one stays by itself. */
const pieces = fc.array(
  fc
    .tuple(fc.constantFrom(0, 1, 7, 1_000, 64 * 1024 - 1, 64 * 1024, 70_000), fc.nat(255))
    .map(([length, byte]) => Buffer.alloc(length, byte)),
  { maxLength: 9 },
);

test('however it is looked at, a body has the bytes of its pieces in their order', () => {
  fc.assert(
    fc.property(pieces, (given) => {
      const body = new PiecedBody(given);
      const whole = Buffer.concat(given);
      expect(body.byteLength).toBe(whole.length);
      expect(Buffer.concat(body.pieces).equals(whole)).toBe(true);
      expect(body.joined().equals(whole)).toBe(true);
      expect(body.inOne((bytes) => bytes.equals(whole))).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test('a large piece is sent from the memory that it was cut from, and small ones are not sent one by one', () => {
  const large = Buffer.alloc(100_000, 1);
  const body = new PiecedBody([
    Buffer.from('a'),
    Buffer.from('b'),
    large,
    Buffer.from('c'),
    Buffer.from('d'),
  ]);
  expect(body.pieces.map((piece) => piece.length)).toEqual([2, 100_000, 2]);
  expect(body.pieces[1]).toBe(large);
});

test('looking at one body while another is looked at changes neither', () => {
  const [one, two] = [1, 2].map(
    (byte) => new PiecedBody([Buffer.alloc(80_000, byte), Buffer.alloc(80_000, byte)]),
  );
  const seen = one?.inOne((bytes) => two?.inOne((others) => [bytes[0], others[0]]));
  expect(seen).toEqual([1, 2]);
});
