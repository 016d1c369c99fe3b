import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '../../db/testing.ts';
import { readCase } from './recorded.testing.ts';
import { Archive, poison, START, TABLES } from './testing-import.ts';

let old: Archive;
let fresh: Archive;

beforeAll(async () => {
  old = new Archive(await testDatabase(), 3);
  fresh = new Archive(await testDatabase(), 4);
});
afterAll(async () => {
  await old.database.stop();
  await fresh.database.stop();
});

describe('an import', () => {
  const name = 'claude-code/opus-session';

  let known: Promise<string[]> | undefined;
  /** One export for all tests that only look at its lines. */
  function sample(): Promise<string[]> {
    known ??= (async () => {
      await old.open('sample');
      await old.play(readCase(name, old.accountId, START));
      return old.export();
    })();
    return known;
  }

  const broken: readonly (readonly [string, (lines: string[]) => string[], RegExp])[] = [
    ['no header', (lines) => lines.slice(1), /^Line 1 is not the header/],
    ['another file', () => ['{"a":1}'], /^Line 1 is not an object/],
    ['no JSON', () => ['words'], /^Line 1 is not JSON/],
    ['another header', () => ['{"header":{"format":"x","version":1}}'], /^Line 1 is not the header/],
    [
      'a newer version',
      (lines) => [lines[0]?.replace('"version":1', '"version":2') ?? ''],
      /^Line 1 .*newer/,
    ],
    ['no end', (lines) => lines.slice(0, -1), /^Line \d+ is the last one/],
    ['a line that is missing', (lines) => dropLine(lines, 'event', 3), /^Line \d+ has an event at another/],
    ['a message that is missing', (lines) => dropLine(lines, 'message', 2), /^Line \d+ holds a row/],
    [
      'a thread that is missing',
      (lines) => dropLine(lines, 'thread', 0),
      /^Line \d+ has an event of a thread/,
    ],
    ['a strange line', (lines) => [lines[0] ?? '', '{"fact":{}}'], /^Line 2 begins with "fact"/],
    ['a text that was changed', (lines) => change(lines, 'message', 2, /"text":"/, '"text":"x'), /^Line \d+/],
    ['an id that was changed', (lines) => change(lines, 'message', 2, /msg-./, 'msg-g'), /^Line \d+/],
    [
      'a hash that is none',
      (lines) => change(lines, 'event', 2, /"message_hash":"../, '"message_hash":"zz'),
      /^Line/,
    ],
    [
      'a number that is none',
      (lines) => change(lines, 'request', 0, /"request_bytes":"/, '"request_bytes":"x'),
      /^Line \d+ holds a row/,
    ],
    [
      'a NUL where none can be',
      (lines) => change(lines, 'request', 0, /"path":"/, '"path":"\\u0000'),
      /^Line \d+ holds a row/,
    ],
    [
      'a message of no event',
      (lines) => [...lines.slice(0, -1), messageOnly(lines), lines.at(-1) ?? ''],
      /^Line \d+ has a message that no event/,
    ],
  ];
  /** Values that the database would take and that no reader of a list can show. */
  const poisons: readonly (readonly [line: string, field: string, values: readonly unknown[]])[] = [
    [
      'header',
      'last_seen_at',
      ['infinity', '-infinity', 'now', '20000-01-01T00:00:00Z', '0001-01-01', 7, {}],
    ],
    ['header', 'started_at', ['infinity', '']],
    ['header', 'agent', ['somebody', '', {}]],
    ['header', 'title', [{}, ['x'], 7, 'a\0b']],
    ['header', 'turns', ['x', 1e99, {}]],
    ['message', 'role', ['root', '']],
    ['message', 'seen_at', ['infinity']],
    ['item', 'kind', ['fact', '']],
    ['item', 'main_input', [{}, 'a\0b']],
    ['event', 'at', ['infinity', 'epoch']],
    ['event', 'duration_ms', ['x', '9223372036854775807']],
    ['request', 'received_at', ['-infinity', 'tomorrow']],
    ['request', 'total_ms', ['NaN', 'Infinity', 1e300]],
    ['request', 'input_tokens', ['9223372036854775807']],
    ['request', 'path', [[], 'a\0b']],
    ['thread', 'created_at', ['infinity']],
    [
      'thread',
      'client_thread_id',
      [Array.from({ length: 9000 }, (_, n) => String.fromCodePoint(0x4e00 + n)).join('')],
    ],
  ];
  const poisoned = poisons.flatMap(([name, field, values]) =>
    values.map((value, n): (typeof broken)[number] => [
      `${field} of a ${name} that no reader can show (${n})`,
      (lines) => poison(lines, name, field, value),
      /^Line \d+ holds a row/,
    ]),
  );

  it.each([...broken, ...poisoned])(
    'of %s names the line, and writes nothing of the session',
    async (_what, breakIt, message) => {
      const lines = await sample();
      await fresh.open(`broken ${_what}`);
      await fresh.transfer.takeKey(fresh.accountId, await old.transfer.readKey(old.accountId));
      const none = Object.fromEntries(Object.keys(TABLES).map((table) => [table, []]));
      await expect(
        fresh.import(breakIt(lines.slice(0, lines.findIndex((line) => line.startsWith('{"end"')) + 1))),
      ).rejects.toMatchObject({
        message: expect.stringMatching(message),
      });
      expect(await fresh.rows()).toEqual(none);
    },
  );
});

function dropLine(lines: readonly string[], name: string, nth: number): string[] {
  const at = lines.flatMap((line, index) => (line.startsWith(`{"${name}"`) ? [index] : []))[nth];
  return lines.filter((_, index) => index !== at);
}

function change(lines: readonly string[], name: string, nth: number, what: RegExp, by: string): string[] {
  const at = lines.flatMap((line, index) => (line.startsWith(`{"${name}"`) ? [index] : []))[nth];
  return lines.map((line, index) => (index === at ? line.replace(what, by) : line));
}

/** A message that is not in the conversation. */
function messageOnly(lines: readonly string[]): string {
  const line = lines.find((one) => one.startsWith('{"message"')) ?? '';
  const { message } = JSON.parse(line) as { message: Record<string, unknown> };
  return JSON.stringify({ message: { ...message, hash: '0'.repeat(64), items: [], aliases: [] } });
}
