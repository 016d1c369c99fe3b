import { expect, test } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { LOCAL_ACCOUNT, newId } from '../../kernel/ids.ts';
import { createLogger } from '../../kernel/log.ts';
import type { TappedRequest } from '../tap.ts';
import type { Parcel } from './parcels.ts';
import { createQueue } from './queue.ts';

/** A queue over a pipeline whose bookings wait until they are let go, with what was done in its order. */
function setUp() {
  const done: string[] = [];
  const ended: number[] = [];
  const names = new Map<string, string>();
  let letGo: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  const note = async (what: string, id: string) => {
    done.push(`${what} ${names.get(id)}`);
    return null;
  };
  const queue = createQueue({
    pipeline: {
      early: async () => null,
      request: ({ id }) => note('request', id),
      answer: ({ id }) => note('answer', id),
      book: async (id) => {
        await held;
        await note('booked', id);
      },
    },
    writer: {
      confirm: async () => 0,
      index: async () => ({ indexed: 0, more: false }),
      accountsToIndex: async () => [],
    },
    clock: systemClock,
    log: createLogger('silent', 'test'),
    tell: (message) => {
      if (message.type === 'done') ended.push(message.job);
    },
  });
  let jobs = 0;
  const exchange = (name: string) => {
    const id = newId(systemClock);
    names.set(id, name);
    const event = { id, accountId: LOCAL_ACCOUNT, headers: [['session-id', 'one conversation']] };
    queue.take({ job: jobs + 1, request: event as unknown as TappedRequest });
    queue.take({ job: jobs + 2, answer: event } as unknown as Parcel);
    jobs += 2;
  };
  return { exchange, done, ended, letGo };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

test('the next request of a conversation is archived while the answer before it is being booked; an answer has ended once it is', async () => {
  const { exchange, done, ended, letGo } = setUp();
  exchange('first');
  exchange('second');
  await settled();
  expect(done).toEqual(['request first', 'answer first', 'request second', 'answer second']);
  expect(ended).toEqual([1, 3]);
  letGo();
  await settled();
  expect(done.slice(4)).toEqual(['booked first', 'booked second']);
  expect(ended).toEqual([1, 3, 2, 4]);
});
