import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { WireLogRow } from '@/server/api/index.ts';
import { partsOf } from './parts.ts';

function row(seq: number, over: Partial<WireLogRow> = {}): WireLogRow {
  return {
    seq,
    at: new Date(Date.UTC(2026, 10, 30, 12, 0, seq)).toISOString(),
    kind: 'answer',
    role: 'assistant',
    thread: 'main',
    docid: null,
    tool: null,
    mainInput: null,
    body: '',
    length: 0,
    durationMs: null,
    data: null,
    media: 0,
    callId: null,
    isError: false,
    ...over,
  };
}

const day = (at: number) => new Date(at).toISOString().slice(0, 10);
const partsFrom = (rows: readonly WireLogRow[]) => partsOf(new Map(rows.map((one) => [one.seq, one])), day);
const call = (seq: number, callId: string, thread = 'main') =>
  row(seq, { kind: 'tool_call', callId, thread });
const result = (seq: number, callId: string, thread = 'main') =>
  row(seq, { kind: 'tool_result', callId, thread });

it('a result stands inside its call, also when parallel results come in another order', () => {
  const parts = partsFrom([call(1, 'a'), call(2, 'b'), result(3, 'b'), result(4, 'a')]);
  expect(parts.get(3)).toEqual({ shape: 'inside', callSeq: 2 });
  expect(parts.get(4)).toEqual({ shape: 'inside', callSeq: 1 });
});

it('an id that is used again belongs to the newest call before the result', () => {
  const parts = partsFrom([call(1, 'a'), result(2, 'a'), call(3, 'a'), result(4, 'a')]);
  expect([parts.get(2), parts.get(4)]).toEqual([
    { shape: 'inside', callSeq: 1 },
    { shape: 'inside', callSeq: 3 },
  ]);
});

it("a sub-agent's result is not taken for the main line's", () => {
  const parts = partsFrom([call(1, 'a'), call(2, 'a', 'sub'), result(3, 'a', 'sub'), result(4, 'a')]);
  expect([parts.get(3), parts.get(4)]).toEqual([
    { shape: 'inside', callSeq: 2 },
    { shape: 'inside', callSeq: 1 },
  ]);
});

it('a result without a known call is shown by itself', () => {
  expect(partsFrom([result(7, 'x')]).get(7)?.shape).toBe('row');
});

it('days and threads break where they change and nowhere else', () => {
  const nextDay = new Date(Date.UTC(2026, 11, 1, 0, 0, 1)).toISOString();
  const parts = partsFrom([row(1), row(2), row(3, { thread: 'sub' }), row(4, { at: nextDay })]);
  const breaks = [1, 2, 3, 4].map((seq) => {
    const part = parts.get(seq);
    return part?.shape === 'row' ? [part.breaks.day !== null, part.breaks.thread] : null;
  });
  expect(breaks).toEqual([
    [true, null],
    [false, null],
    [false, 'sub'],
    [true, 'main'],
  ]);
});

it('every known row is one part, whatever the order of ids', () => {
  const rows = fc.array(
    fc.record({
      kind: fc.constantFrom('tool_call', 'tool_result', 'answer'),
      callId: fc.constantFrom('a', 'b'),
    }),
  );
  fc.assert(
    fc.property(rows, (made) => {
      const parts = partsFrom(made.map((one, at) => row(at + 1, one)));
      expect(parts.size).toBe(made.length);
      for (const part of parts.values()) {
        if (part.shape === 'inside') expect(parts.get(part.callSeq)?.shape).toBe('row');
      }
    }),
  );
});
