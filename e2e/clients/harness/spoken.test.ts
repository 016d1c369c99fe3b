import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LoggedRequest } from '../../simulator/index.ts';
import { readSpoken } from './spoken.ts';

const RECORDED = join(import.meta.dirname, '..', 'recorded');

/** A recorded conversation as the simulator would have logged it. */
function recordedLog(folder: string): readonly LoggedRequest[] {
  const path = join(RECORDED, folder);
  return readdirSync(path)
    .filter((name) => name.endsWith('.request.json'))
    .map((name) => {
      const stem = join(path, name.slice(0, 3));
      const body = existsSync(`${stem}.response.sse`)
        ? readFileSync(`${stem}.response.sse`)
        : Buffer.alloc(0);
      return {
        body: readFileSync(`${stem}.request.json`),
        reading: { kind: 'main' },
        answer: { status: 200, headers: [['content-type', 'text/event-stream']], body, ending: 'finished' },
      } as unknown as LoggedRequest;
    });
}

test('the words, calls and results of a recorded Claude Code session are read from its bytes', () => {
  const spoken = readSpoken(recordedLog('claude-code/opus-session'));
  expect(spoken.answers).toContain('The second line was “zweite Zeile – ünïcode 🙂”.');
  expect(spoken.reasoning).toEqual(['First the file.', 'Both worked.']);
  expect(spoken.calls.map((call) => call.name)).toEqual(['Read', 'Edit', 'Bash']);
  expect(spoken.calls[0]?.input).toEqual({ file_path: '/home/dev/project/notes.txt' });
  expect(spoken.calls[0]?.result?.[0]).toContain('zweite Zeile – ünïcode 🙂');
});

test('the words, calls and results of a recorded Codex session are read from its bytes', () => {
  const spoken = readSpoken(recordedLog('codex/gpt-5.4-session'));
  expect(spoken.answers).toContain('I read the file first.');
  expect(spoken.calls.map((call) => call.input)).toEqual([
    { cmd: 'cat notes.txt' },
    { cmd: 'printf "done\\n" >> notes.txt' },
    { cmd: 'ls -1' },
  ]);
  expect(spoken.calls[2]?.result?.[0]).toContain('notes.txt');
});
