import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readEvents } from '../reading/events.ts';
import { EventSplitter } from './split-events.ts';

const line = fc.oneof(
  fc.string({ maxLength: 12 }).map((text) => `data: ${text.replace(/[\r\n]/g, '')}`),
  fc.constantFrom('event: ping', ': a comment', 'data: {"type":"ping"}'),
);
const stream = fc
  .array(fc.record({ lines: fc.array(line, { maxLength: 3 }), end: fc.constantFrom('\n', '\r\n', '\r') }))
  .map((events) =>
    Buffer.from(events.map(({ lines, end }) => `${lines.map((one) => one + end).join('')}${end}`).join('')),
  );

/** The stream in pieces, cut at the given places. */
function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

test('however a stream is cut, the events are the same, and joined they are the stream', () => {
  fc.assert(
    fc.property(stream, fc.array(fc.nat(), { maxLength: 12 }), (bytes, cuts) => {
      const splitter = new EventSplitter();
      const events = pieces(bytes, cuts).flatMap((piece) => splitter.push(piece));
      const rest = splitter.rest();
      expect(Buffer.concat([...events, rest])).toEqual(bytes);
      const apart = [...events, rest].flatMap((event) => [...readEvents(event)]);
      expect(apart).toEqual([...readEvents(bytes)]);
    }),
  );
});

test('an event is given as soon as its blank line has come', () => {
  const splitter = new EventSplitter();
  expect(splitter.push(Buffer.from('event: a\ndata: 1\n'))).toEqual([]);
  expect(splitter.push(Buffer.from('\n')).map(String)).toEqual(['event: a\ndata: 1\n\n']);
  expect(splitter.push(Buffer.from('data: 2\r\n\r'))).toEqual([]);
  expect(splitter.push(Buffer.from('\ndata')).map(String)).toEqual(['data: 2\r\n\r\n']);
  expect(String(splitter.rest())).toBe('data');
});
