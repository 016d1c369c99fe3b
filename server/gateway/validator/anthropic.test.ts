import { describe, expect, it } from 'vitest';
import { judgeMessages, ruleOf } from './testing/judging.ts';

type Value = Record<string, unknown>;
const user = (...content: unknown[]): Value => ({ role: 'user', content });
const assistant = (...content: unknown[]): Value => ({ role: 'assistant', content });
const system = (content: unknown): Value => ({ role: 'system', content });
const text = (words: string, more: Value = {}): Value => ({ type: 'text', text: words, ...more });
const call = (id: string, name = 'Bash'): Value => ({ type: 'tool_use', id, name, input: {} });
const result = (id: string, more: Value = {}): Value => ({
  type: 'tool_result',
  tool_use_id: id,
  content: 'done',
  ...more,
});
const search = (id: string, type = 'server_tool_use'): Value => ({ type, id, name: 'web_search', input: {} });
const found = (id: string, type = 'web_search_tool_result'): Value => ({
  type,
  tool_use_id: id,
  content: [],
});
const thinking = (words: string): Value => ({ type: 'thinking', thinking: words, signature: 's' });
const mark = (ttl?: string): Value => ({ cache_control: { type: 'ephemeral', ...(ttl ? { ttl } : {}) } });
const tool = (name: string, more: Value = {}): Value => ({ name, input_schema: {}, ...more });
const reference = (name: string): Value => ({ type: 'tool_reference', tool_name: name });
const body = (messages: unknown, more: Value = {}): Value => ({ model: 'm', messages, ...more });

/** Judges a body that is the client's own. */
const judged = (messages: unknown, more: Value = {}): string => ruleOf(judgeMessages(body(messages, more)));

describe('the shape', () => {
  it.each([
    ['nothing', ''],
    ['no JSON', '{"messages":[{'],
    ['no object', '[]'],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['a byte order mark', '\ufeff{"messages":[]}'],
  ])('of %s is no JSON body', (_name, bytes) => {
    expect(ruleOf(judgeMessages(bytes))).toBe('json ');
  });

  it.each<[string, unknown, string]>([
    ['no messages', undefined, 'shape /messages'],
    ['no message', [], 'shape /messages'],
    ['a message that is no object', [7], 'role /messages/0'],
    ['an unknown role', [{ role: 'tool', content: 'a' }], 'role /messages/0'],
    ['no content', [{ role: 'user' }], 'no-content /messages/0'],
    ['a content that is a number', [{ role: 'user', content: 7 }], 'no-content /messages/0'],
    ['an empty content', [user()], 'no-content /messages/0'],
    ['an empty string', [{ role: 'user', content: '' }], 'no-content /messages/0'],
    ['a part without a type', [user({})], 'shape /messages/0/content/0'],
  ])('with %s is refused', (_name, messages, where) => {
    expect(judged(messages)).toBe(where);
  });

  it('takes contents of parts and bare strings', () => {
    expect(judged([{ role: 'user', content: 'a' }, assistant(text('b')), user(text('c'))])).toBe('ok');
  });
});

describe('roles', () => {
  it.each<[string, unknown[], string]>([
    ['the user first', [user(text('a'))], 'ok'],
    ['two users in a row', [user(text('a')), user(text('b'))], 'ok'],
    ['the assistant first', [assistant(text('a')), user(text('b'))], 'first-message /messages/0'],
    [
      'the assistant first with a compaction',
      [assistant({ type: 'compaction', content: 'x' }), user(text('b'))],
      'ok',
    ],
    ['thinking of a user', [user(thinking('x'), text('a'))], 'role /messages/0/content/0'],
    ['a result of the assistant', [user(text('a')), assistant(result('t'))], 'role /messages/1/content/0'],
    [
      'an image of the assistant',
      [user(text('a')), assistant({ type: 'image' })],
      'role /messages/1/content/0',
    ],
    ['a new kind of part', [user({ type: 'hologram' })], 'ok'],
  ])('with %s', (_name, messages, verdict) => {
    expect(judged(messages)).toBe(verdict);
  });
});

describe('system messages', () => {
  it.each<[string, unknown[], string]>([
    ['last', [user(text('a')), system('s')], 'ok'],
    [
      'between user and assistant',
      [user(text('a')), system('s'), assistant(text('b')), user(text('c'))],
      'ok',
    ],
    [
      'behind a server tool result',
      [
        user(text('a')),
        assistant(search('s'), found('s')),
        system('s'),
        assistant(text('b')),
        user(text('c')),
      ],
      'ok',
    ],
    [
      'that only set the effort',
      [user(text('a')), { role: 'system', output_config: { effort: 'low' } }],
      'ok',
    ],
    ['first', [system('s'), user(text('a'))], 'first-message /messages/0'],
    ['behind an answer', [user(text('a')), assistant(text('b')), system('s')], 'system-message /messages/2'],
    ['before a user message', [user(text('a')), system('s'), user(text('b'))], 'system-message /messages/1'],
    ['two in a row', [user(text('a')), system('s'), system('t')], 'system-message /messages/1'],
    ['without content', [user(text('a')), { role: 'system' }], 'no-content /messages/1'],
  ])('%s', (_name, messages, verdict) => {
    expect(judged(messages)).toBe(verdict);
  });
});

describe('texts', () => {
  it.each<[string, unknown[], Value, string]>([
    ['of one character', [user(text('.'))], {}, 'ok'],
    ['of a character beyond the plane', [user(text('😀'))], {}, 'ok'],
    ['that are empty', [user(text('a'), text(''))], {}, 'empty-text /messages/0/content/1'],
    ['that are blank', [user(text('a')), assistant(text(' \n')), user(text('b'))], {}, 'ok'],
    [
      'of the system prompt that are empty',
      [user(text('a'))],
      { system: [text('')] },
      'empty-text /system/0',
    ],
    ['of the system prompt', [user(text('a'))], { system: [text('s')] }, 'ok'],
  ])('%s', (_name, messages, more, verdict) => {
    expect(judged(messages, more)).toBe(verdict);
  });
});

describe('calls and results', () => {
  const asked = [user(text('go')), assistant(text('ok'), call('t1'), call('t2'))];
  it.each<[string, unknown[], string]>([
    ['in any order, with text behind', [...asked, user(result('t2'), result('t1'), text('and'))], 'ok'],
    [
      'without content',
      [user(text('go')), assistant(call('t1')), user({ type: 'tool_result', tool_use_id: 't1' })],
      'ok',
    ],
    [
      'in two user messages that the provider joins',
      [...asked, user(result('t1')), user(result('t2'))],
      'ok',
    ],
    [
      'of two assistant messages that it joins',
      [user(text('go')), assistant(call('t1')), assistant(call('t2')), user(result('t1'), result('t2'))],
      'ok',
    ],
    ['with one missing', [...asked, user(result('t1'))], 'tool-pair /messages/1/content/2'],
    ['with nothing behind', asked, 'tool-pair /messages/1/content/1'],
    [
      'with an answer between',
      [...asked, assistant(text('x')), user(text('y'))],
      'tool-pair /messages/1/content/1',
    ],
    [
      'with a system message between',
      [...asked, system('s'), user(result('t1'), result('t2'))],
      'system-message /messages/2',
    ],
    [
      'with a text before',
      [...asked, user(text('x'), result('t1'), result('t2'))],
      'result-order /messages/2/content/1',
    ],
    [
      'with a result twice',
      [...asked, user(result('t1'), result('t2'), result('t1'))],
      'tool-pair /messages/2/content/2',
    ],
    ['with a result of no call', [user(text('go'), result('t9'))], 'tool-pair /messages/0/content/1'],
    [
      'with a call that has no id',
      [user(text('go')), assistant({ type: 'tool_use', name: 'x', input: {} })],
      'call-id /messages/1/content/0',
    ],
    [
      'with an id used twice',
      [
        user(text('go')),
        assistant(call('t1')),
        user(result('t1')),
        assistant(call('t1')),
        user(result('t1')),
      ],
      'call-id /messages/3/content/0',
    ],
  ])('%s', (_name, messages, verdict) => {
    expect(judged(messages)).toBe(verdict);
  });
});

describe('calls of server tools', () => {
  const offered = { tools: [tool('web_search'), tool('Bash')] };
  const go = user(text('go'));
  it.each<[string, unknown[], string]>([
    ['with their result', [go, assistant(search('s'), found('s'), text('x')), user(text('y'))], 'ok'],
    [
      'of an unknown kind with its result',
      [go, assistant(search('s', 'new_tool_use'), found('s', 'new_tool_result'))],
      'ok',
    ],
    [
      'of an unknown kind that the user answers',
      [
        go,
        assistant(search('s', 'new_tool_use')),
        user(found('s', 'new_tool_result')),
        assistant(text('x')),
        go,
      ],
      'ok',
    ],
    ['unfinished at the end', [go, assistant(search('s'))], 'ok'],
    ['unfinished while a client tool runs', [go, assistant(search('s'), call('t')), user(result('t'))], 'ok'],
    [
      'finished behind the client tools that they called',
      [
        go,
        assistant(search('s'), call('t')),
        user(result('t')),
        assistant(call('u')),
        user(result('u')),
        assistant(found('s'), text('x')),
        go,
      ],
      'ok',
    ],
    [
      'unfinished before a text',
      [go, assistant(search('s')), user(text('y'))],
      'server-tool-pair /messages/1/content/0',
    ],
    [
      'unfinished in the middle',
      [go, assistant(search('s'), call('t')), user(result('t')), assistant(text('x')), go],
      'server-tool-pair /messages/1/content/0',
    ],
    [
      'of an unknown kind without its result',
      [go, assistant(search('s', 'new_tool_use')), go],
      'server-tool-pair /messages/1/content/0',
    ],
    [
      'with a text beside the results that they wait for',
      [go, assistant(search('s'), call('t')), user(result('t'), text('y'))],
      'result-order /messages/2/content/1',
    ],
    [
      'with a system message before the result',
      [go, assistant(search('s'), call('t')), user(result('t')), system('x'), assistant(found('s')), go],
      'server-tool-pair /messages/3/content',
    ],
    ['that are missing', [go, assistant(found('s'))], 'server-tool-pair /messages/1/content/0'],
  ])('%s', (_name, messages, verdict) => {
    expect(judged(messages, offered)).toBe(verdict);
  });

  it('are not resumed without their tool', () => {
    expect(judged([go, assistant(search('s'))], { tools: [tool('Bash')] })).toBe(
      'server-tool-pair /messages/1/content/0',
    );
  });
});

describe('cache marks', () => {
  const marked = (count: number, ttl?: string) =>
    user(...Array.from({ length: count }, () => text('a', mark(ttl))));
  it.each<[string, unknown[], Value, string]>([
    ['four', [marked(4)], {}, 'ok'],
    ['three and an automatic one', [marked(3)], mark(), 'ok'],
    ['five', [marked(5)], {}, 'cache-marks /messages/0/content/4'],
    ['four and an automatic one', [marked(4)], mark(), 'cache-marks /cache_control'],
    [
      'five over tools, system, results',
      [marked(2), assistant(call('t')), user(result('t', { content: [text('x', mark())] }))],
      { tools: [tool('Bash', mark())], system: [text('s', mark())] },
      'cache-marks /messages/2/content/0/content/0',
    ],
    ['an hour before five minutes', [marked(1)], { system: [text('s', mark('1h'))] }, 'ok'],
    [
      'an hour behind five minutes',
      [marked(1, '1h')],
      { system: [text('s', mark('5m'))] },
      'cache-marks /messages/0/content/0',
    ],
    [
      'an automatic hour behind five minutes',
      [marked(1), assistant(text('b')), user(text('c'))],
      mark('1h'),
      'cache-marks /cache_control',
    ],
    [
      'an automatic one of another lifetime on the same part',
      [marked(1, '1h')],
      mark('5m'),
      'cache-marks /cache_control',
    ],
    ['an automatic one of the same lifetime on the same part', [marked(1, '1h')], mark('1h'), 'ok'],
    ['null', [user(text('a', { cache_control: null }))], {}, 'ok'],
    [
      'on thinking',
      [user(text('a')), assistant({ ...thinking('x'), ...mark() }, text('b')), user(text('c'))],
      {},
      'cache-marks /messages/1/content/0',
    ],
    [
      'on a deferred tool',
      [user(text('a'))],
      { tools: [tool('Bash'), tool('X', { defer_loading: true, ...mark() })] },
      'cache-marks /tools/1',
    ],
  ])('%s', (_name, messages, more, verdict) => {
    expect(judged(messages, more)).toBe(verdict);
  });
});

describe('tools', () => {
  const deferred = { tools: [tool('Find'), tool('Late', { defer_loading: true })] };
  const go = user(text('go'));
  const loads = [go, assistant(call('f', 'Find')), user(result('f', { content: [reference('Late')] }))];
  it.each<[string, unknown[], Value, string]>([
    [
      'deferred, called behind a reference',
      [...loads, assistant(call('l', 'Late')), user(result('l'))],
      deferred,
      'ok',
    ],
    [
      'deferred, called behind a server search',
      [
        go,
        assistant(
          { ...search('s'), name: 'tool_search' },
          { ...found('s', 'tool_search_tool_result'), content: { tool_references: [reference('Late')] } },
          call('l', 'Late'),
        ),
        user(result('l')),
      ],
      deferred,
      'ok',
    ],
    [
      'deferred, called behind an addition',
      [
        go,
        system([{ type: 'tool_addition', tool: { type: 'tool_reference', name: 'Late' } }]),
        assistant(call('l', 'Late')),
        user(result('l')),
      ],
      deferred,
      'ok',
    ],
    [
      'deferred, called unseen',
      [go, assistant(call('l', 'Late')), user(result('l'))],
      deferred,
      'deferred-tool /messages/1/content/0',
    ],
    [
      'referenced and not there',
      [go, assistant(call('f', 'Find')), user(result('f', { content: [reference('Gone')] }))],
      deferred,
      'deferred-tool /messages/2/content/0',
    ],
    ['all deferred', [go], { tools: [tool('A', { defer_loading: true })] }, 'deferred-tool /tools'],
    ['two of one name', [go], { tools: [tool('A'), tool('A')] }, 'tools /tools/1'],
    ['no list', [go], { tools: 7 }, 'shape /tools'],
  ])('%s', (_name, messages, more, verdict) => {
    expect(judged(messages, more)).toBe(verdict);
  });
});

describe('compaction parts', () => {
  const signed = { type: 'compaction', content: 'x', signature: 's' };
  it.each<[string, unknown[], string]>([
    ['first', [user(signed, text('a'))], 'ok'],
    [
      'failed, anywhere',
      [user(text('a')), assistant({ ...signed, content: null }, text('b')), user(text('c'))],
      'ok',
    ],
    [
      'unsigned, anywhere',
      [user(text('a')), assistant({ type: 'compaction', content: 'x' }), user(text('c'))],
      'ok',
    ],
    ['second', [user(text('a'), signed)], 'compaction /messages/0/content/1'],
    [
      'in a later message',
      [user(text('a')), assistant(signed), user(text('b'))],
      'compaction /messages/1/content/0',
    ],
    ['two', [user(signed, signed)], 'compaction /messages/0/content/1'],
  ])('%s', (_name, messages, verdict) => {
    expect(judged(messages)).toBe(verdict);
  });
});

describe('the size', () => {
  it('is asked once for the edited body, and refused above the window', () => {
    const asked: number[] = [];
    const client = body([user(text('a'))]);
    const estimate = (bytes: Uint8Array) => asked.push(bytes.length) * 100;
    expect(ruleOf(judgeMessages(client, client, [], { window: 100, estimate }))).toBe('ok');
    expect(ruleOf(judgeMessages(client, client, [], { window: 199, estimate }))).toBe('window ');
    expect(asked).toEqual([JSON.stringify(client).length, JSON.stringify(client).length]);
  });
});
