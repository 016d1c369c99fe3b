import { describe, expect, it } from 'vitest';
import { ClaudeReader } from './claude-code.ts';
import type { Transcript, TranscriptMessage } from './types.ts';

type Line = Readonly<Record<string, unknown>>;

let clock = 0;
const line = (type: string, uuid: string, parentUuid: string | null, more: Line = {}): Line => ({
  parentUuid,
  isSidechain: false,
  type,
  uuid,
  timestamp: new Date(Date.UTC(2026, 0, 1) + (clock++ % 1000) * 1000).toISOString(),
  cwd: '/p',
  sessionId: 's',
  version: '2.1.197',
  gitBranch: 'main',
  ...more,
});
const user = (uuid: string, parent: string | null, content: unknown, more: Line = {}) =>
  line('user', uuid, parent, { message: { role: 'user', content }, ...more });
const answer = (uuid: string, parent: string | null, id: string, part: Line, more: Line = {}) =>
  line('assistant', uuid, parent, {
    message: { id, role: 'assistant', model: 'm', content: [part] },
    ...more,
  });
const text = (words: string) => ({ type: 'text', text: words });
const use = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: {} });
const result = (id: string, content = 'ok') => [{ type: 'tool_result', tool_use_id: id, content }];

function read(...lines: readonly (Line | string)[]): Transcript {
  const reader = new ClaudeReader();
  for (const [index, one] of lines.entries()) {
    const bytes = Buffer.from(typeof one === 'string' ? one : JSON.stringify(one), 'utf8');
    reader.take({ file: 'f', number: index + 1, bytes });
  }
  const transcript = reader.end();
  if (transcript === null) throw new Error('no session');
  return transcript;
}

/** Each chain from its first message to an end, parts in one text. */
function chains(messages: readonly TranscriptMessage[]): readonly (readonly string[])[] {
  const parents = new Set(messages.map((message) => message.parent));
  return messages
    .filter((message) => !parents.has(message))
    .map((end) => {
      const chain: string[] = [];
      for (let at: TranscriptMessage | null = end; at !== null; at = at.parent) chain.unshift(wordsOf(at));
      return chain;
    });
}

function wordsOf({ element }: TranscriptMessage): string {
  const { content } = JSON.parse(Buffer.from(element).toString('utf8')) as { content: Line[] };
  return content.map((part) => part.text ?? part.id ?? `=${part.tool_use_id}`).join('|');
}

const mainOf = (transcript: Transcript) =>
  transcript.threads.find((thread) => thread.clientThreadId === null)?.messages ?? [];

describe('what Claude Code keeps', () => {
  it('is one message for the lines of one answer, and one for the results of its calls', () => {
    const { threads, place, agentVersion } = read(
      user('1', null, 'do it'),
      answer('2', '1', 'm1', text('I look.')),
      answer('3', '2', 'm1', use('a')),
      user('4', '3', result('a')),
      answer('5', '3', 'm1', use('b')),
      user('6', '5', result('b')),
      answer('7', '6', 'm2', text('Done.')),
    );
    expect(chains(threads[0]?.messages ?? [])).toEqual([['do it', 'I look.|a|b', '=a|=b', 'Done.']]);
    expect({ place, agentVersion }).toMatchObject({
      place: { folder: '/p', branch: 'main' },
      agentVersion: '2.1.197',
    });
  });

  it('is one message for user lines that follow each other, joined as they are sent', () => {
    const transcript = read(
      user('1', null, 'first'),
      user('2', '1', [text('second')]),
      answer('3', '2', 'm1', text('Both.')),
    );
    expect(chains(mainOf(transcript))).toEqual([['first\n|second', 'Both.']]);
  });

  it('has branches, each whole from where it leaves the others', () => {
    const transcript = read(
      user('1', null, 'one'),
      answer('2', '1', 'm1', text('A.')),
      user('3', '2', 'rewound'),
      answer('4', '3', 'm2', text('B.')),
      user('5', '2', 'two'),
      answer('6', '5', 'm3', text('C.')),
    );
    expect(chains(mainOf(transcript))).toEqual([
      ['one', 'A.', 'rewound', 'B.'],
      ['one', 'A.', 'two', 'C.'],
    ]);
  });

  it('begins anew behind a compaction, with what is sent again behind its summary', () => {
    const transcript = read(
      user('1', null, 'one'),
      answer('2', '1', 'm1', text('A.')),
      line('system', '3', null, {
        subtype: 'compact_boundary',
        compactMetadata: { preservedMessages: { anchorUuid: '4', uuids: ['2'] } },
      }),
      user('4', '3', 'This session is being continued from a previous conversation.'),
      user('5', '4', 'two'),
    );
    expect(chains(mainOf(transcript))).toEqual([
      ['one', 'A.'],
      ['This session is being continued from a previous conversation.', 'A.', 'two'],
    ]);
    expect(mainOf(transcript).map((message) => message.compacted)).toEqual([
      false,
      false,
      true,
      false,
      false,
    ]);
  });

  it('keeps sub-agents apart, also those of older versions that name no id', () => {
    const { threads } = read(
      user('1', null, 'main'),
      user('2', null, 'named', { isSidechain: true, agentId: 'a1' }),
      user('3', null, 'unnamed', { isSidechain: true }),
      answer('4', '3', 'm1', text('Yes.'), { isSidechain: true }),
    );
    expect(threads.map((thread) => [thread.clientThreadId, chains(thread.messages)])).toEqual([
      [null, [['main']]],
      ['a1', [['named']]],
      ['3', [['unnamed', 'Yes.']]],
    ]);
  });

  it('has words beside what is said: attachments, and prompts typed meanwhile; its own lists are counted', () => {
    const attachment = (uuid: string, parent: string, own: Line) =>
      line('attachment', uuid, parent, { attachment: own });
    const transcript = read(
      user('1', null, 'look @a.txt'),
      attachment('2', '1', { type: 'file', filename: 'a.txt', content: { file: { content: 'inside' } } }),
      attachment('3', '2', { type: 'skill_listing', content: 'many' }),
      answer('4', '3', 'm1', text('Seen.')),
      attachment('5', '4', { type: 'queued_command', prompt: 'and quickly' }),
    );
    expect(chains(mainOf(transcript))).toEqual([['look @a.txt', 'Seen.']]);
    const beside = mainOf(transcript).map((message) =>
      message.beside.map(({ element }) => JSON.parse(Buffer.from(element).toString('utf8'))),
    );
    expect(beside).toEqual([
      [{ role: 'system', content: [text('file: a.txt\ninside')] }],
      [{ role: 'user', content: [text('and quickly')] }],
    ]);
    expect([...transcript.leftOut]).toEqual([["the agent's own lists and reminders", 1]]);
  });

  it('tells lines that are torn or not known, and errors that were shown as answers', () => {
    const transcript = read(
      user('1', null, 'hi'),
      answer('2', '1', 'm1', text('API Error'), { isApiErrorMessage: true }),
      { type: 'queue-operation', sessionId: 's' },
      { type: 'brand-new', sessionId: 's' },
      '{"type":"user","uuid":"3","messa',
    );
    expect(chains(mainOf(transcript))).toEqual([['hi']]);
    expect([...transcript.leftOut.keys()]).toEqual([
      expect.stringContaining('errors of the provider'),
      expect.stringContaining('own books'),
      expect.stringContaining('brand-new'),
    ]);
    expect(transcript.faults).toEqual([{ file: 'f', line: 5, reason: expect.stringContaining('not whole') }]);
  });

  it('is reached whatever its parents say: circles and parents that are not there', () => {
    const transcript = read(user('1', '2', 'a'), answer('2', '1', 'm1', text('b')), user('3', 'gone', 'c'));
    expect(mainOf(transcript).map(wordsOf).sort()).toEqual(['a', 'b', 'c']);
  });

  it('is read however deep it is', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => [
      user(`u${index}`, index === 0 ? null : `a${index - 1}`, `q${index}`),
      answer(`a${index}`, `u${index}`, `m${index}`, text('yes')),
    ]).flat();
    expect(mainOf(read(...many))).toHaveLength(20_000);
  });
});
