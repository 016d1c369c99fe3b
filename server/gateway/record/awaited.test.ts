import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AwaitedBodies } from './awaited.ts';

const act = fc.record({ id: fc.integer({ min: 0, max: 9 }), bytes: fc.nat(60), ends: fc.boolean() });

test('whatever is awaited, what is kept is what was given, the newest is there, and never more than may be', () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      const bodies = new AwaitedBodies(100);
      const given = new Map<string, Uint8Array>();
      for (const { id, bytes, ends } of acts) {
        const name = String(id);
        if (ends) {
          bodies.drop(name);
          expect(bodies.of(name)).toBeNull();
          continue;
        }
        const before = bodies.of(name);
        const body = before ?? new Uint8Array(bytes);
        bodies.keep(name, body);
        given.set(name, body);
        expect(bodies.of(name)).toBe(body);
        const kept = [...given].filter(([one]) => bodies.of(one) !== null);
        for (const [one, its] of kept) expect(bodies.of(one)).toBe(its);
        expect(kept.reduce((sum, [, { byteLength }]) => sum + byteLength, 0)).toBeLessThanOrEqual(100);
      }
    }),
  );
});

test('the oldest makes room; what is larger than all that may be is not kept, and takes nothing from others', () => {
  const bodies = new AwaitedBodies(10);
  bodies.keep('a', new Uint8Array(6));
  bodies.keep('b', new Uint8Array(4));
  bodies.keep('huge', new Uint8Array(11));
  expect(bodies.of('huge')).toBeNull();
  expect(bodies.of('a')).not.toBeNull();
  bodies.keep('c', new Uint8Array(1));
  expect([bodies.of('a'), bodies.of('b')?.byteLength, bodies.of('c')?.byteLength]).toEqual([null, 4, 1]);
});
