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
const userText = (text: string) => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
});

describe('what names an item', () => {
  it('is the same for an answer as produced and as sent back, ids, state and metadata aside', () => {
    const text = { type: 'output_text', text: 'yes' };
    const forms = [
      {
        type: 'message',
        id: 'msg_1',
        status: 'completed',
        role: 'assistant',
        content: [{ ...text, annotations: [], logprobs: [] }],
        phase: 'final',
      },
      { type: 'message', role: 'assistant', content: [text] },
      { role: 'assistant', content: 'yes' },
      {
        ...{ type: 'message', role: 'assistant', content: [text] },
        internal_chat_message_metadata_passthrough: { turn_id: 't' },
        id: null,
      },
    ];
    expect(new Set(forms.map(named)).size).toBe(1);
    const call = { type: 'function_call', call_id: 'c1', name: 'exec', arguments: '{"a":1}' };
    expect(named({ ...call, id: 'fc_1', status: 'completed', namespace: null })).toBe(named(call));
  });

  it('is the same for a bare string and one text part of a user', () => {
    expect(named('hi')).toBe(named(userText('hi')));
    expect(named({ role: 'user', content: 'hi' })).toBe(named(userText('hi')));
  });

  it('differs by role, text, call id, name, namespace, arguments, output and unknown fields', () => {
    const call = { type: 'function_call', call_id: 'c1', name: 'exec', arguments: '{"a":1}' };
    const output = { type: 'function_call_output', call_id: 'c1', output: 'x' };
    const items = [
      userText('a'),
      userText('b'),
      { ...userText('a'), role: 'developer' },
      { role: 'assistant', content: 'a' },
      call,
      { ...call, call_id: 'c2' },
      { ...call, name: 'other' },
      { ...call, namespace: 'n' },
      { ...call, arguments: '{"a": 1}' },
      { ...call, type: 'custom_tool_call' },
      output,
      { ...output, call_id: 'c2' },
      { ...output, output: 'y' },
      { type: 'item_reference', id: 'a' },
      { type: 'item_reference', id: 'b' },
      { type: 'new_item', a: 1 },
      { type: 'new_item', a: 2 },
      { type: 'compaction', encrypted_content: 'a' },
    ];
    expect(new Set(items.map(named)).size).toBe(items.length);
  });

  it('is nothing for reasoning', () => {
    const reasoning = {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'First.' }],
      content: null,
      encrypted_content: 'x',
    };
    const message = parse(reasoning);
    expect(message).toMatchObject({
      transparent: true,
      role: 'assistant',
      items: [{ kind: 'reasoning', text: 'First.' }],
    });
    expect(message.canonical).toHaveLength(0);
    expect(JSON.parse(Buffer.from(message.items[0]?.body ?? []).toString())).toEqual(reasoning);
  });
});

describe('items', () => {
  it('are typed or injected as their own metadata says', () => {
    const content = [
      { type: 'input_text', text: 'anything' },
      { type: 'input_text', text: '<environment_context>' },
    ];
    const withKinds = (...content_item_kinds: string[]) => ({
      ...{ type: 'message', role: 'user', content },
      internal_chat_message_metadata_passthrough: { content_item_kinds },
    });
    expect(kinds(withKinds('environments.environment_context', 'user.text'))).toEqual(['injected', 'input']);
    const source = {
      content_item_metadata: [{ provenance: { type: 'user' } }, { provenance: { type: 'harness' } }],
    };
    expect(
      kinds({
        ...{ type: 'message', role: 'user', content },
        internal_chat_message_metadata_passthrough: source,
      }),
    ).toEqual(['input', 'injected']);
  });

  it('are told by their beginnings without metadata', () => {
    for (const text of [
      '# AGENTS.md instructions for /x',
      '<environment_context>\n',
      '<turn_aborted>',
      '<image name=[Image #1]>',
      'Another language model started to solve this problem and',
    ]) {
      expect(kinds(userText(text)), text).toEqual(['injected']);
    }
    expect(kinds(userText('Fix <environment_context> parsing'))).toEqual(['input']);
    expect(kinds('Fix it')).toEqual(['input']);
    expect(kinds({ ...userText('You are Codex'), role: 'developer' })).toEqual(['system']);
    expect(kinds({ ...userText('<permissions instructions>'), role: 'developer' })).toEqual(['injected']);
  });

  it('of calls hold the input as it was, the line to show and the path', () => {
    expect(
      parse({
        type: 'function_call',
        call_id: 'c',
        name: 'exec_command',
        arguments: '{"cmd":"ls -1","workdir":"/x"}',
      }).items[0],
    ).toMatchObject({
      kind: 'tool_call',
      text: '{"cmd":"ls -1","workdir":"/x"}',
      mainInput: 'ls -1',
      tool: { callId: 'c', name: 'exec_command', namespace: null, isError: false },
      body: null,
    });
    const patch = '*** Begin Patch\n*** Update File: src/a.ts\n@@\n-x\n+y\n*** End Patch';
    expect(
      parse({ type: 'custom_tool_call', call_id: 'c', name: 'apply_patch', input: patch }).items[0],
    ).toMatchObject({
      text: patch,
      mainInput: 'src/a.ts',
      path: 'src/a.ts',
    });
    expect(
      parse({
        type: 'local_shell_call',
        call_id: 'c',
        action: { type: 'exec', command: ['bash', '-lc', 'ls'] },
      }).items[0],
    ).toMatchObject({
      text: '{"type":"exec","command":["bash","-lc","ls"]}',
      mainInput: 'bash -lc ls',
      tool: { name: 'local_shell' },
    });
    expect(
      parse({ type: 'web_search_call', id: 'ws', action: { type: 'search', query: 'node' } }).items[0],
    ).toMatchObject({
      mainInput: 'node',
      tool: { callId: 'ws', name: 'web_search' },
    });
  });

  it('of outputs hold their text, and pictures decoded', () => {
    expect(parse({ type: 'function_call_output', call_id: 'c', output: ' a\r\n' })).toMatchObject({
      role: 'tool',
      items: [{ kind: 'tool_result', text: ' a\r\n', body: null, tool: { callId: 'c', name: null } }],
    });
    const png = Buffer.from([1, 2, 3]);
    const image = { type: 'input_image', image_url: `data:image/png;base64,${png.toString('base64')}` };
    const [item] = parse({
      type: 'custom_tool_call_output',
      call_id: 'c',
      output: [{ type: 'input_text', text: 'a' }, image],
    }).items;
    expect(item).toMatchObject({ text: 'a', media: [{ mime: 'image/png', bytes: png }] });
    expect(JSON.parse(Buffer.from(item?.body ?? []).toString()).output[1].image_url).toBe(
      'data:image/png;base64,media:0',
    );
  });

  it('of pictures and files that a person sent hold them decoded, and addresses as text', () => {
    const pdf = Buffer.from('%PDF');
    const content = [
      { type: 'input_image', image_url: 'https://example.com/a.png' },
      {
        type: 'input_file',
        filename: 'a.pdf',
        file_data: `data:application/pdf;base64,${pdf.toString('base64')}`,
      },
    ];
    const { items } = parse({ type: 'message', role: 'user', content });
    expect(items.map((item) => [item.kind, item.text, item.media.length])).toEqual([
      ['image', 'https://example.com/a.png', 0],
      ['file', 'a.pdf', 1],
    ]);
  });

  it('of what is not known hold its bytes', () => {
    const item = { type: 'program', source: 'x' };
    expect(parse(item)).toMatchObject({
      role: 'unknown',
      items: [{ kind: 'unknown', text: JSON.stringify(item) }],
    });
    expect(parse(12)).toMatchObject({ role: 'unknown', items: [{ kind: 'unknown', text: '12' }] });
    const broken = Buffer.from('{"type":');
    expect(parseMessage(broken).items[0]?.body).toEqual(Uint8Array.from(broken));
  });

  it('between agents and of compactions are marked as such', () => {
    expect(
      parse({
        type: 'agent_message',
        author: '/root',
        content: [{ type: 'input_text', text: 'Message Type: NEW_TASK' }],
      }),
    ).toMatchObject({
      role: 'user',
      items: [{ kind: 'injected', text: 'Message Type: NEW_TASK' }],
    });
    expect(kinds({ type: 'compaction', encrypted_content: 'x' })).toEqual(['compaction']);
    expect(kinds({ type: 'compaction_trigger' })).toEqual(['injected']);
    expect(parse({ type: 'additional_tools', role: 'developer', tools: [] })).toMatchObject({
      role: 'developer',
      items: [{ kind: 'system' }],
    });
  });
});
