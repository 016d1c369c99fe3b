import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../conversation/index.ts';
import { jsonOf } from '../reading/testing/recorded.ts';
import { parseMessage } from './message.ts';

const parse = (value: unknown): Message => parseMessage(jsonOf(value));
const named = (value: unknown): string => {
  const message = parse(value);
  return `${message.role} ${Buffer.from(message.canonical).toString('utf8')}`;
};
const kinds = (value: unknown): string[] => parse(value).items.map((item) => item.kind);
const MARK = { cache_control: { type: 'ephemeral' } };

describe('what names a message', () => {
  it('is the same for a bare string and one text part, with and without a cache mark', () => {
    const part = { type: 'text', text: 'hi' };
    const forms = [
      { role: 'user', content: 'hi' },
      { role: 'user', content: [part] },
      { role: 'user', content: [{ ...part, ...MARK }] },
      { content: [{ text: 'hi', ...MARK, type: 'text' }], role: 'user' },
    ];
    expect(new Set(forms.map(named)).size).toBe(1);
  });

  it('is the same for a result as a string and as one text part, marks and key order aside', () => {
    const result = { type: 'tool_result', tool_use_id: 't1' };
    const forms = [
      { role: 'user', content: [{ ...result, content: 'ok' }] },
      { role: 'user', content: [{ ...result, content: [{ type: 'text', text: 'ok', ...MARK }], ...MARK }] },
      { role: 'user', content: [{ content: 'ok', tool_use_id: 't1', type: 'tool_result' }] },
    ];
    expect(new Set(forms.map(named)).size).toBe(1);
  });

  it("leaves out thinking and an answer's blank text, but not blank text that a person sent", () => {
    const text = { type: 'text', text: 'yes' };
    const thinking = { type: 'thinking', thinking: 'hm', signature: 's' };
    const forms = [
      [text],
      [thinking, text],
      [{ type: 'redacted_thinking', data: 'x' }, text, { type: 'text', text: ' \n' }],
    ];
    expect(new Set(forms.map((content) => named({ role: 'assistant', content }))).size).toBe(1);
    const blank = { type: 'text', text: '\n' };
    expect(named({ role: 'user', content: [text, blank] })).not.toBe(
      named({ role: 'user', content: [text] }),
    );
  });

  it('differs by role, text, id, input, error, order and unknown fields', () => {
    const call = { type: 'tool_use', id: 't1', name: 'Read', input: { file_path: 'a', limit: 1 } };
    const messages = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'hi' },
      { role: 'system', content: 'hi' },
      { role: 'user', content: 'hi ' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'h' },
          { type: 'text', text: 'i' },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'i' },
          { type: 'text', text: 'h' },
        ],
      },
      { role: 'user', content: 'hi', name: 'x' },
      { role: 'assistant', content: [call] },
      { role: 'assistant', content: [{ ...call, id: 't2' }] },
      { role: 'assistant', content: [{ ...call, input: { file_path: 'a', limit: 2 } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'x' }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'x', is_error: true }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1' }] },
      { role: 'user', content: [{ type: 'new_block', a: 1 }] },
      { role: 'user', content: [{ type: 'new_block', a: 2 }] },
      { role: 'user', content: [] },
      { role: 'user' },
      { role: 'user', content: null },
    ];
    expect(new Set(messages.map(named)).size).toBe(messages.length);
  });

  it('keeps numbers apart that JavaScript cannot tell apart', () => {
    const of = (n: string) =>
      Buffer.from(
        parseMessage(
          Buffer.from(
            `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"n","input":{"a":${n}}}]}`,
          ),
        ).canonical,
      ).toString();
    expect(of('12345678901234567890')).not.toBe(of('12345678901234567891'));
  });

  it('is nothing for an answer of reasoning alone', () => {
    expect(
      parse({ role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: 's' }] })
        .transparent,
    ).toBe(true);
    expect(parse({ role: 'assistant', content: [] }).transparent).toBe(false);
    expect(parse({ role: 'user', content: [{ type: 'text', text: '' }] }).transparent).toBe(false);
  });
});

describe('items', () => {
  it('tell typed text from what Claude Code writes beside it', () => {
    const text = (...texts: string[]) => ({
      role: 'user',
      content: texts.map((one) => ({ type: 'text', text: one })),
    });
    expect(kinds(text('<system-reminder>\nx\n</system-reminder>', 'fix it'))).toEqual(['injected', 'input']);
    expect(
      kinds(
        text(
          '<command-name>/compact</command-name>',
          '<local-command-stdout>done</local-command-stdout>',
          'go on',
        ),
      ),
    ).toEqual(['injected', 'injected', 'input']);
    expect(
      kinds(
        text(
          '<command-message>review</command-message>\n<command-name>/review</command-name>',
          'Review the code.',
          'hi',
        ),
      ),
    ).toEqual(['injected', 'injected', 'input']);
    for (const wrapper of [
      '<task-notification>x',
      'Stop hook feedback:\nx',
      '[SUGGESTION MODE: x',
      '<bash-stdout>',
      'Continue from where you left off.',
    ]) {
      expect(kinds(text(wrapper)), wrapper).toEqual(['injected']);
    }
    expect(kinds({ role: 'user', content: 'Continue from where you left off. Then stop.' })).toEqual([
      'input',
    ]);
    expect(kinds({ role: 'system', content: 'The task tools have not been used.' })).toEqual(['injected']);
  });

  it('hold any string as it came, and nothing else where the text says everything', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff })), fc.boolean(), (units, isPart) => {
        const text = String.fromCharCode(...units);
        const [item] = parse({
          role: 'assistant',
          content: isPart ? [{ type: 'text', text, citations: null }] : text,
        }).items;
        expect(item).toMatchObject({ kind: 'answer', text, body: null, media: [] });
      }),
    );
  });

  it('of a call hold its input as it was written, the line to show and the path', () => {
    const raw =
      '{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Edit","input":{ "n":1.10,"file_path":"/a/b.ts" }}]}';
    const [item] = parseMessage(Buffer.from(raw)).items;
    expect(item).toMatchObject({
      kind: 'tool_call',
      text: '{ "n":1.10,"file_path":"/a/b.ts" }',
      tool: { callId: 't1', name: 'Edit', namespace: null, isError: false },
      mainInput: '/a/b.ts',
      path: '/a/b.ts',
      body: null,
    });
    const call = (name: string, input: unknown) =>
      parse({ role: 'assistant', content: [{ type: 'tool_use', id: 't', name, input }] }).items[0];
    expect(call('Bash', { description: 'List', command: 'ls -1' })).toMatchObject({
      mainInput: 'ls -1',
      path: null,
    });
    expect(call('Grep', { path: 'src', pattern: 'x' })).toMatchObject({ path: null });
    expect(call('read', { path: 'src/a.ts' })).toMatchObject({ path: 'src/a.ts' });
    const long = call('Bash', { command: `${'x'.repeat(499)}😀😀` });
    expect(long?.mainInput).toBe('x'.repeat(499));
  });

  it('of a result hold the text byte for byte, whether an error, and its pictures decoded', () => {
    const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255]);
    const image = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: png.toString('base64') },
    };
    const content = [{ type: 'text', text: 'a\r\n ' }, image, { type: 'text', text: 'b' }];
    const [item] = parse({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 't1', is_error: true, content }],
    }).items;
    expect(item).toMatchObject({
      kind: 'tool_result',
      text: 'a\r\n \nb',
      tool: { callId: 't1', name: null, isError: true },
    });
    expect(item?.media).toEqual([{ mime: 'image/png', bytes: png }]);
    const body = Buffer.from(item?.body ?? []).toString();
    expect(body).not.toContain(png.toString('base64'));
    expect(JSON.parse(body).content[1].source.data).toBe('media:0');
  });

  it('keep base64 that would not come back the same in the body', () => {
    for (const data of ['iVBORw', 'iVBO\nRw==', 'iVBOR-==', '!!!!', '']) {
      const source = { type: 'base64', media_type: 'image/png', data };
      const [item] = parse({ role: 'user', content: [{ type: 'image', source }] }).items;
      expect(item).toMatchObject({ kind: 'image', media: [] });
      expect(JSON.parse(Buffer.from(item?.body ?? []).toString()).source.data).toBe(data);
    }
  });

  it('of what is not known hold its bytes', () => {
    const block = { type: 'new_block', data: [1, 2] };
    const [item] = parse({ role: 'assistant', content: [block] }).items;
    expect(item).toMatchObject({ kind: 'unknown', text: JSON.stringify(block) });
    expect(JSON.parse(Buffer.from(item?.body ?? []).toString())).toEqual(block);
    const broken = Buffer.from('{"role":"user","content":[');
    expect(parseMessage(broken)).toMatchObject({
      role: 'unknown',
      items: [{ kind: 'unknown', body: Uint8Array.from(broken) }],
    });
    expect(parseMessage(Buffer.from([0x7b, 0xff, 0x7d])).items[0]?.body).toEqual(
      Uint8Array.from([0x7b, 0xff, 0x7d]),
    );
  });

  it('of server tools and other blocks have the kinds of the others', () => {
    const content = [
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'node' } },
      {
        type: 'web_search_tool_result',
        tool_use_id: 'srvtoolu_1',
        content: [{ type: 'web_search_result', title: 'Node', url: 'https://x' }],
      },
      { type: 'mcp_tool_use', id: 'm1', name: 'find', server_name: 'docs', input: {} },
      { type: 'mcp_tool_result', tool_use_id: 'm1', content: [{ type: 'text', text: 'found' }] },
      { type: 'compaction', content: 'summary', encrypted_content: 'x' },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'doc' } },
      {
        type: 'web_fetch_tool_result',
        tool_use_id: 'f',
        content: { type: 'web_fetch_tool_result_error', error_code: 'unavailable' },
      },
    ];
    const { items } = parse({ role: 'assistant', content });
    expect(items.map((item) => [item.kind, item.text])).toEqual([
      ['tool_call', '{"query":"node"}'],
      ['tool_result', 'Node\nhttps://x'],
      ['tool_call', '{}'],
      ['tool_result', 'found'],
      ['compaction', 'summary'],
      ['file', 'doc'],
      ['tool_result', 'unavailable'],
    ]);
    expect(items[0]?.mainInput).toBe('node');
    expect(items[2]?.tool?.namespace).toBe('docs');
    expect(items[6]?.tool?.isError).toBe(true);
  });
});
