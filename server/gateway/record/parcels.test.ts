import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Inbox, Outbox, type Parcel, PIECE_BYTES } from './parcels.ts';
import type { ToWorker } from './protocol.ts';

/** An event of which only its number counts here. */
function eventOf(job: number): Parcel {
  return { job, request: { id: String(job), body: new Uint8Array(0) } } as unknown as Parcel;
}

function bytesOf(size: number, seed: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, at) => (at * 31 + seed) % 251);
}

/** What the worker gets of events that are sent in one go, and what went over to it. */
async function handedOver(
  bodies: readonly (readonly Uint8Array[] | null)[],
): Promise<{ taken: Parcel[]; sent: ToWorker[] }> {
  const taken: Parcel[] = [];
  const sent: ToWorker[] = [];
  const inbox = new Inbox((event) => taken.push(event));
  const outbox = new Outbox((message, transfer) => {
    const arrived = structuredClone(message, { transfer: [...transfer] });
    sent.push(arrived);
    inbox.receive(arrived);
  });
  for (const [job, body] of bodies.entries()) outbox.send(eventOf(job), body);
  while (taken.length < bodies.length) await new Promise((resolve) => setImmediate(resolve));
  return { taken, sent };
}

it('events arrive in their order with exactly their bytes, however large and in whatever pieces they came', async () => {
  const size = fc.oneof(
    fc.nat(2_000),
    fc.constantFrom(0, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 3 * PIECE_BYTES),
  );
  const body = fc.option(fc.array(size, { maxLength: 4 }));
  await fc.assert(
    fc.asyncProperty(fc.array(body, { minLength: 1, maxLength: 6 }), async (sizes) => {
      const bodies = sizes.map((parts, job) => parts?.map((part, n) => bytesOf(part, job * 7 + n)) ?? null);
      const { taken, sent } = await handedOver(bodies);
      expect(taken.map((event) => event.job)).toEqual(bodies.map((_, job) => job));
      for (const [job, chunks] of bodies.entries()) {
        const event = taken[job];
        const arrived = event !== undefined && 'request' in event ? event.request.body : null;
        expect(Buffer.concat(chunks ?? []).equals(arrived ?? Buffer.of(1))).toBe(true);
      }
      for (const message of sent) {
        if ('piece' in message) expect(message.piece.byteLength).toBeLessThanOrEqual(PIECE_BYTES);
      }
    }),
    { numRuns: 12 },
  );
});

it('the bytes that were given stay readable: a socket may still be sending them', async () => {
  const body = bytesOf(3 * PIECE_BYTES + 5, 1);
  const before = Buffer.from(body);
  await handedOver([[body], [body.subarray(0, 10)]]);
  expect(before.equals(body)).toBe(true);
});

it('other work of the thread runs between the pieces of a large body', async () => {
  const order: string[] = [];
  const outbox = new Outbox((message) => order.push('piece' in message ? 'piece' : 'event'));
  outbox.send(eventOf(1), [new Uint8Array(4 * PIECE_BYTES)]);
  const other = () => {
    order.push('other');
    if (!order.includes('event')) setImmediate(other);
  };
  setImmediate(other);
  while (!order.includes('event')) await new Promise((resolve) => setImmediate(resolve));
  expect(order.filter((one) => one !== 'other')).toEqual(['piece', 'piece', 'piece', 'piece', 'event']);
  expect(order.join(' ')).not.toContain('piece piece piece');
});

it('what was not handed on when the worker died is forgotten, and the next event goes whole', async () => {
  const sent: ToWorker[] = [];
  const outbox = new Outbox((message) => sent.push(message));
  outbox.send(eventOf(1), [new Uint8Array(4 * PIECE_BYTES)]);
  outbox.clear();
  outbox.send(eventOf(2), [Uint8Array.of(7)]);
  while (!sent.some((message) => message.job === 2)) await new Promise((resolve) => setImmediate(resolve));
  expect(sent.filter((message) => message.job === 1)).toHaveLength(1);
  expect(sent.at(-1)).toMatchObject({ job: 2, request: { body: Uint8Array.of(7) } });
});
