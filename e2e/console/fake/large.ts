import type { Line } from './conversation.ts';

function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** A log of 10 MB in which one line, far from both ends, tells what went wrong. */
const migrationLog = once(() => {
  const lines = Array.from({ length: 132_000 }, (_, at) => {
    const number = at.toString().padStart(6, '0');
    return at === 81_234
      ? `2026-11-30T10:22:07.004Z ERROR split failed: invoice ${number} has no currency, naïve default refused`
      : `2026-11-30T10:${(at % 60).toString().padStart(2, '0')}:07.004Z INFO  worker-${at % 7} split invoice ${number} in ${at % 31} ms`;
  });
  return `${lines.join('\n')}\nDone with one failure.\n`;
});

/** 1.6 MB of JSON on a single line. */
const minified = once(() =>
  JSON.stringify(
    Array.from({ length: 24_000 }, (_, id) => ({
      id,
      name: `Äquator ${id}`,
      ok: id % 3 === 0,
      at: [id, id + 1],
    })),
  ),
);

/** A session with texts that no page could hold at once. */
export const LARGE_SESSION: readonly Line[] = [
  { kind: 'input', text: 'Write a migration for split invoices' },
  {
    kind: 'tool_call',
    tool: 'Bash',
    mainInput: 'npm run migrate',
    call: 'm1',
    text: '{"command":"npm run migrate"}',
  },
  {
    kind: 'tool_result',
    call: 'm1',
    ranMs: 81_200,
    get text() {
      return migrationLog();
    },
  },
  {
    kind: 'tool_call',
    tool: 'Write',
    mainInput: 'fixtures/rows.json',
    call: 'm2',
    get text() {
      return JSON.stringify({ file_path: '/home/ada/billing/fixtures/rows.json', content: minified() });
    },
  },
  {
    kind: 'tool_result',
    call: 'm2',
    text: 'File created successfully at: /home/ada/billing/fixtures/rows.json',
    ranMs: 22,
  },
  {
    kind: 'tool_call',
    tool: 'Bash',
    mainInput: 'cat fixtures/rows.json',
    call: 'm3',
    text: '{"command":"cat fixtures/rows.json"}',
  },
  {
    kind: 'tool_result',
    call: 'm3',
    ranMs: 40,
    get text() {
      return minified();
    },
  },
  { kind: 'answer', text: 'One invoice of 132,000 could not be split: number 081234 has no currency.' },
];
