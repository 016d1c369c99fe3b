import { expect, it } from 'vitest';
import { liveMessages } from './live.ts';
import type { LiveEvent } from './services.ts';

function setUp() {
  const listeners = new Set<(event: LiveEvent) => void>();
  const stop = new AbortController();
  const live = {
    subscribe(listener: (event: LiveEvent) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const tell = (sessionId: string | null) => {
    for (const listener of listeners) listener({ sessionId });
  };
  return { listeners, stop, tell, messages: liveMessages(live, stop.signal) };
}

it('the line says hello, then tells each changed session once, however often it changed meanwhile', async () => {
  const { messages, tell } = setUp();
  expect((await messages.next()).value).toEqual({ kind: 'hello' });
  tell('a');
  tell('b');
  tell('a');
  tell(null);
  expect((await messages.next()).value).toEqual({ kind: 'changed', sessionIds: ['a', 'b', null] });
});

it('a reader that waits is woken by the next event', async () => {
  const { messages, tell } = setUp();
  await messages.next();
  const next = messages.next();
  tell('c');
  expect((await next).value).toEqual({ kind: 'changed', sessionIds: ['c'] });
});

it('a line that is cut ends at once and leaves no listener behind', async () => {
  const { messages, stop, listeners } = setUp();
  await messages.next();
  const next = messages.next();
  expect(listeners.size).toBe(1);
  stop.abort();
  expect((await next).done).toBe(true);
  expect(listeners.size).toBe(0);
});
