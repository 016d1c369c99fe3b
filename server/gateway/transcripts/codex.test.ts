import { expect, it } from 'vitest';
import { CodexReader } from './codex.ts';
import type { TranscriptMessage } from './types.ts';

type Line = Readonly<Record<string, unknown>>;

const at = '2026-01-01T00:00:00.000Z';
const meta = (id: string, more: Line = {}): Line => ({
  timestamp: at,
  type: 'session_meta',
  payload: { id, session_id: 's', cwd: '/p', cli_version: '0.171.0', thread_source: 'user', ...more },
});
const item = (payload: Line): Line => ({ timestamp: at, type: 'response_item', payload });
const said = (role: string, text: string) =>
  item({
    type: 'message',
    role,
    content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
  });
const call = (id: string) => item({ type: 'function_call', name: 'sh', arguments: '{}', call_id: id });
const output = (id: string) => item({ type: 'function_call_output', call_id: id, output: 'ok' });

function read(files: Readonly<Record<string, readonly (Line | string)[]>>) {
  const reader = new CodexReader();
  for (const [file, lines] of Object.entries(files)) {
    for (const [index, line] of lines.entries()) {
      const bytes = Buffer.from(typeof line === 'string' ? line : JSON.stringify(line), 'utf8');
      reader.take({ file, number: index + 1, bytes });
    }
  }
  return reader.end();
}

function chain(end: TranscriptMessage | undefined): readonly string[] {
  const words: string[] = [];
  for (let one = end ?? null; one !== null; one = one.parent) {
    const own = JSON.parse(Buffer.from(one.element).toString('utf8')) as {
      type: string;
      call_id?: string;
      output?: string;
      content?: { text: string }[];
    };
    words.unshift(own.content?.[0]?.text ?? `${own.type} ${own.call_id} ${own.output ?? ''}`.trim());
  }
  return words;
}

it('a rollout is the items in their order; a call that was broken off has the output that Codex sends', () => {
  const transcript = read({
    f: [
      meta('s'),
      said('user', 'go'),
      call('1'),
      call('2'),
      output('2'),
      said('user', 'on'),
      { timestamp: at, type: 'turn_context', payload: {} },
      { timestamp: at, type: 'brand_new', payload: {} },
      '{"timestamp":"',
    ],
  });
  expect(chain(transcript?.threads[0]?.messages.at(-1))).toEqual([
    'go',
    'function_call 1',
    'function_call_output 1 aborted',
    'function_call 2',
    'function_call_output 2 ok',
    'on',
  ]);
  expect([...(transcript?.leftOut.keys() ?? [])]).toEqual([
    expect.stringContaining('own books'),
    expect.stringContaining('brand_new'),
  ]);
  expect(transcript?.faults).toMatchObject([{ file: 'f', line: 9 }]);
});

it('a compaction begins anew with what it keeps; its summary stands there alone', () => {
  const kept = said('user', 'Summary: all done').payload;
  const transcript = read({
    f: [
      meta('s'),
      said('user', 'go'),
      said('assistant', 'all done'),
      {
        timestamp: at,
        type: 'compacted',
        payload: { message: 'Summary: all done', replacement_history: [kept] },
      },
      said('user', 'on'),
    ],
  });
  const messages = transcript?.threads[0]?.messages ?? [];
  expect(messages.map((one) => chain(one))).toEqual([
    ['go'],
    ['Summary: all done'],
    ['Summary: all done', 'on'],
  ]);
  expect(messages.map((one) => one.compacted)).toEqual([false, true, false]);
});

it('turns that were taken back are a branch', () => {
  const transcript = read({
    f: [
      meta('s'),
      said('user', 'one'),
      said('assistant', 'A'),
      said('user', 'two'),
      said('assistant', 'B'),
      { timestamp: at, type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: 1 } },
      said('user', 'three'),
    ],
  });
  const messages = transcript?.threads[0]?.messages ?? [];
  expect(chain(messages.at(-1))).toEqual(['one', 'A', 'three']);
  expect(chain(messages.at(-2))).toEqual(['one', 'A', 'two', 'B']);
});

it('the files of sub-agents are threads of their session; those that looked for a title are left out', () => {
  const transcript = read({
    main: [
      meta('s', { git: { repository_url: 'https://example.org/r.git', commit_hash: 'c' } }),
      said('user', 'go'),
    ],
    sub: [meta('t', { parent_thread_id: 's', thread_source: 'subagent' }), said('user', 'task')],
    deep: [meta('u', { parent_thread_id: 't', thread_source: 'subagent' }), said('user', 'deeper')],
    title: [meta('v', { thread_source: 'thread_title' }), said('user', 'title?')],
  });
  expect(transcript).toMatchObject({
    clientSessionId: 's',
    agentVersion: '0.171.0',
    place: { folder: '/p', remoteUrl: 'https://example.org/r.git' },
  });
  expect(transcript?.threads.map((one) => [one.clientThreadId, one.parentThreadId])).toEqual([
    [null, null],
    ['t', null],
    ['u', 't'],
  ]);
});

it('lines without a session before them name none', () => {
  expect(read({ f: [said('user', 'go')] })).toBeNull();
});
