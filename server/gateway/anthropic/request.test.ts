import { describe, expect, it } from 'vitest';
import type { Identity } from '../../conversation/index.ts';
import { exchangesOf, headOf, jsonOf } from '../reading/testing/recorded.ts';
import { readRequest, routeOf } from './request.ts';

const SESSION = '44b2a03d-0329-416a-b142-6481a3dacb60';
const HEADERS = { 'User-Agent': 'claude-cli/2.1.197 (external, cli)', 'X-Claude-Code-Session-Id': SESSION };
const SYSTEM = [
  { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.197.f66; cc_entrypoint=cli;' },
  {
    type: 'text',
    text: 'You help.\n# Environment\n - Primary working directory: /home/dev/my project\n - Is a git repository: true\n\ngitStatus: x\nCurrent branch: feature/a b\n\nMain branch (x): main',
  },
];
const USER_ID = JSON.stringify({ device_id: 'd', account_uuid: '', session_id: SESSION });
const BODY = {
  model: 'claude-opus-4-8',
  messages: [{ role: 'user', content: 'hi' }],
  system: SYSTEM,
  tools: [{ name: 'Read' }, { name: 'Bash' }],
  metadata: { user_id: USER_ID },
  max_tokens: 64000,
  stream: true,
};

function identity(
  body: object,
  headers: Record<string, string> = HEADERS,
  target = '/v1/messages?beta=true',
): Identity {
  const read = readRequest(headOf('anthropic', 'POST', target, headers), jsonOf(body));
  if (read === null) throw new Error('unreadable');
  return read.identity;
}

describe('routes', () => {
  it('are told by method and path, whatever stands before the version', () => {
    const of = (method: string, target: string) => routeOf(headOf('anthropic', method, target));
    expect(of('POST', '/v1/messages')).toBe('generation');
    expect(of('POST', '/p/demo/v1/messages?beta=true')).toBe('generation');
    expect(of('POST', '/v1/messages/count_tokens?beta=true')).toBe('count');
    expect(of('GET', '/v1/messages')).toBe('other');
    expect(of('POST', '/v1/messages/batches')).toBe('other');
    expect(of('POST', '/v1/models?x=/v1/messages')).toBe('other');
    expect(of('HEAD', '/')).toBe('other');
  });
});

describe('identity of Claude Code', () => {
  it('is read from headers, place from the prompt', () => {
    expect(identity(BODY)).toEqual({
      agent: 'claude-code',
      agentVersion: '2.1.197',
      clientSessionId: SESSION,
      clientThreadId: null,
      parentThreadId: null,
      kind: 'main',
      place: {
        folder: '/home/dev/my project',
        root: null,
        remoteUrl: null,
        branch: 'feature/a b',
        commit: null,
        isRepository: true,
      },
      uncertain: null,
    });
  });

  it('is read from the body where a header is missing, and is in doubt where both differ', () => {
    const bare = { 'user-agent': HEADERS['User-Agent'] };
    expect(identity(BODY, bare)).toMatchObject({ clientSessionId: SESSION, uncertain: null });
    expect(identity(BODY, {})).toMatchObject({
      agent: 'claude-code',
      agentVersion: '2.1.197',
      clientSessionId: SESSION,
    });
    const old = { ...BODY, metadata: { user_id: `user_ab_account__session_${SESSION}` } };
    expect(identity(old, bare)).toMatchObject({ clientSessionId: SESSION });
    expect(identity({ ...BODY, metadata: {} }, bare)).toMatchObject({
      clientSessionId: null,
      uncertain: expect.any(String),
    });
    const other = { ...HEADERS, 'X-Claude-Code-Session-Id': 'another' };
    expect(identity(BODY, other)).toMatchObject({
      clientSessionId: 'another',
      uncertain: expect.any(String),
    });
  });

  it('names sub-agents by their id, and is in doubt of one that has none', () => {
    const sub = {
      ...BODY,
      system: [{ type: 'text', text: `${SYSTEM[0]?.text} cc_is_subagent=true;` }, SYSTEM[1]],
    };
    const headers = { ...HEADERS, 'x-claude-code-agent-id': 'a1b2c3d4e5f6a7b8c' };
    expect(identity(sub, headers)).toMatchObject({
      kind: 'subagent',
      clientThreadId: 'a1b2c3d4e5f6a7b8c',
      uncertain: null,
    });
    expect(identity(sub)).toMatchObject({
      kind: 'subagent',
      clientThreadId: null,
      uncertain: expect.any(String),
    });
  });

  it('takes the place from the first reminder where the client keeps it out of the prompt, never from typed text', () => {
    const environment =
      '# Environment\n - Primary working directory: /home/dev/other\n - Is a git repository: false';
    const of = (content: unknown) =>
      identity({ ...BODY, system: 'You help.', messages: [{ role: 'user', content }] }).place;
    expect(
      of([{ type: 'text', text: `<system-reminder>\n${environment}\n</system-reminder>` }]),
    ).toMatchObject({
      folder: '/home/dev/other',
      isRepository: false,
    });
    expect(of([{ type: 'text', text: environment }])).toMatchObject({ folder: null, isRepository: null });
    expect(of(environment)).toMatchObject({ folder: null });
  });

  it('reads Windows folders and those of sub-agents', () => {
    const of = (text: string) => identity({ ...BODY, system: text }).place.folder;
    expect(of(' - Primary working directory: C:\\Users\\dev\\x\r\n - Platform: win32')).toBe(
      'C:\\Users\\dev\\x',
    );
    expect(of('<env>\nWorking directory: /home/dev/x\nIs directory a git repo: Yes\n</env>')).toBe(
      '/home/dev/x',
    );
  });
});

describe('kinds of requests', () => {
  const last = (content: unknown) => ({
    ...BODY,
    messages: [...BODY.messages, { role: 'assistant', content: 'a' }, { role: 'user', content }],
  });
  const COMPACTION =
    'CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\nYour task is to create a detailed summary of the conversation';

  it('are side requests by what they ask', () => {
    const format = {
      type: 'json_schema',
      schema: { type: 'object', properties: { title: { type: 'string' } } },
    };
    expect(identity({ ...BODY, tools: [], output_config: { format } }).kind).toBe('title');
    const search = {
      tools: [{ type: 'web_search_20250305', name: 'web_search' }],
      tool_choice: { type: 'tool', name: 'web_search' },
    };
    expect(identity({ ...BODY, ...search }).kind).toBe('web_search');
    expect(identity(last('[SUGGESTION MODE: say what comes next]')).kind).toBe('suggestion');
    expect(
      identity(
        last([
          { type: 'text', text: 'typed\n' },
          { type: 'text', text: COMPACTION },
        ]),
      ).kind,
    ).toBe('compaction');
    expect(identity(BODY, HEADERS, '/v1/messages/count_tokens?beta=true').kind).toBe('count');
    expect(identity({ ...BODY, max_tokens: 0 }).kind).toBe('prewarm');
    expect(identity({ ...BODY, max_tokens: 1 }).kind).toBe('other');
  });

  it('are found where a system message stands behind the instruction', () => {
    const body = last([{ type: 'text', text: COMPACTION }]);
    expect(identity({ ...body, messages: [...body.messages, { role: 'system', content: 'x' }] }).kind).toBe(
      'compaction',
    );
  });

  it('of a sub-agent are side requests too', () => {
    const headers = { ...HEADERS, 'x-claude-code-agent-id': 'a1' };
    expect(identity(last(COMPACTION), headers)).toMatchObject({ kind: 'compaction', clientThreadId: 'a1' });
  });

  it('are turns where a person or a file only speaks of these', () => {
    expect(identity(last(`Explain this: ${COMPACTION}`)).kind).toBe('main');
    expect(identity(last('What is [SUGGESTION MODE: ?')).kind).toBe('main');
    expect(identity(last('CRITICAL: Respond with TEXT ONLY please')).kind).toBe('main');
    expect(identity(last([{ type: 'tool_result', tool_use_id: 't', content: COMPACTION }])).kind).toBe(
      'main',
    );
    const answered = {
      ...BODY,
      messages: [
        { role: 'user', content: COMPACTION },
        { role: 'assistant', content: 'a' },
        { role: 'user', content: 'next' },
      ],
    };
    expect(identity(answered).kind).toBe('main');
    const twoTools = {
      tools: [{ type: 'web_search_20250305', name: 'web_search' }, { name: 'Read' }],
      tool_choice: { type: 'auto' },
    };
    expect(identity({ ...BODY, ...twoTools }).kind).toBe('main');
  });
});

describe('other agents', () => {
  it('are named by their headers and prompts', () => {
    const openCode = {
      'user-agent': 'opencode/1.18.33 ai-sdk/provider-utils/3.0.0',
      'x-session-id': 'ses_1',
    };
    expect(identity(BODY, openCode)).toMatchObject({
      agent: 'opencode',
      agentVersion: '1.18.33',
      clientSessionId: 'ses_1',
      kind: 'main',
    });
    expect(identity(BODY, { ...openCode, 'x-parent-session-id': 'ses_0' })).toMatchObject({
      clientSessionId: 'ses_0',
      clientThreadId: 'ses_1',
      kind: 'subagent',
    });
    const pi = {
      ...BODY,
      system: [
        { type: 'text', text: 'You code.\nCurrent date: 2026-11-30\nCurrent working directory: /home/dev/x' },
      ],
    };
    expect(identity(pi, { 'user-agent': 'Anthropic/JS 0.91.1' })).toMatchObject({
      agent: 'pi',
      clientSessionId: null,
      place: { folder: '/home/dev/x' },
      uncertain: expect.any(String),
    });
    const plain = { model: 'm', messages: [] };
    expect(identity(plain, {})).toMatchObject({
      agent: 'unknown',
      kind: 'main',
      uncertain: expect.any(String),
    });
  });
});

describe('what a request holds', () => {
  it('is its messages, and everything but these and the identity as preamble, in body order', () => {
    const body = jsonOf(BODY);
    const read = readRequest(headOf('anthropic', 'POST', '/v1/messages', HEADERS), body);
    expect(read).toMatchObject({ model: 'claude-opus-4-8', stream: true });
    expect(read?.elements.map((slice) => JSON.parse(body.toString('utf8', slice.start, slice.end)))).toEqual(
      BODY.messages,
    );
    expect(read?.preamble.map((part) => part.name)).toEqual([
      'model',
      'system',
      'tools',
      'max_tokens',
      'stream',
    ]);
    const system = read?.preamble[1]?.slice ?? { start: 0, end: 0 };
    expect(JSON.parse(body.toString('utf8', system.start, system.end))).toEqual(SYSTEM);
  });

  it('is read as far as it goes where the body breaks off, and not at all where it is no object', () => {
    const body = jsonOf(BODY);
    const cut = body.subarray(0, body.indexOf('"tools"') + 20);
    expect(readRequest(headOf('anthropic', 'POST', '/v1/messages', HEADERS), cut)).toMatchObject({
      elements: [{}],
    });
    expect(readRequest(headOf('anthropic', 'POST', '/v1/messages', HEADERS), Buffer.from('[1]'))).toBeNull();
  });
});

describe('the recorded requests', () => {
  const KINDS: Readonly<Record<string, string>> = {
    'opus-one-shot': 'title main',
    'opus-session': 'title main main main main compaction main',
    'opus-subagent': 'title main subagent subagent main',
    'opus-image': 'title main main',
    'sonnet-session': 'title main main main main compaction main',
  };
  it.each(Object.entries(KINDS))('of %s are told apart and all placed', (name, kinds) => {
    const reads = exchangesOf(`claude-code/${name}`).map(
      ({ head, body }) => readRequest(head, body)?.identity,
    );
    expect(reads.map((read) => read?.kind).join(' ')).toBe(kinds);
    expect(new Set(reads.map((read) => read?.clientSessionId)).size).toBe(1);
    for (const read of reads) {
      expect(read).toMatchObject({ agent: 'claude-code', agentVersion: '2.1.197', uncertain: null });
      expect(read?.clientThreadId === null).toBe(read?.kind !== 'subagent');
      if (read?.kind !== 'title')
        expect(read?.place).toMatchObject({
          folder: '/home/dev/project',
          branch: 'main',
          isRepository: true,
        });
    }
  });

  it('of /context are counts', () => {
    const reads = exchangesOf('claude-code/count-tokens').map(
      ({ head, body }) => readRequest(head, body)?.identity.kind,
    );
    expect(reads.length).toBeGreaterThan(10);
    expect(new Set(reads)).toEqual(new Set(['count']));
  });
});
