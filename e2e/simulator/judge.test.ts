import { describe, expect, it } from 'vitest';
import { encryptCompaction, encryptReasoning, judgeAnthropic, judgeOpenai, signThinking } from './judge.ts';
import { messagesBody, responsesBody, userItem } from './testing.ts';

describe('judging without a server', () => {
  it('passes valid bodies and names a refusal with status, type and message', () => {
    expect(judgeAnthropic(messagesBody())).toBeNull();
    expect(judgeOpenai(responsesBody())).toBeNull();
    expect(judgeAnthropic(messagesBody({ messages: [] }))).toEqual({
      status: 400,
      type: 'invalid_request_error',
      message: 'messages: at least one message is required',
      code: null,
      param: null,
    });
    expect(judgeOpenai(responsesBody({ nonsense: 1 }))).toMatchObject({
      code: 'unknown_parameter',
      param: 'nonsense',
    });
  });

  it('follows the switches', () => {
    const body = messagesBody({ messages: [{ role: 'user', content: '' }] });
    expect(judgeAnthropic(body)?.message).toBe('messages: text content blocks must be non-empty');
    expect(judgeAnthropic(body, [], { rules: { 'anthropic.empty-text': false } })).toBeNull();
  });

  it('takes thinking that it signed and refuses it behind another prefix', () => {
    const model = 'claude-fable-5-2';
    const asked = [{ role: 'user', content: 'a' }];
    const content = [
      ...signThinking(messagesBody({ model, messages: asked }), ['one', 'two']),
      { type: 'text', text: 'b' },
    ];
    const rest = [
      { role: 'assistant', content },
      { role: 'user', content: 'c' },
    ];
    expect(judgeAnthropic(messagesBody({ model, messages: [...asked, ...rest] }))).toBeNull();
    const edited = messagesBody({ model, messages: [{ role: 'user', content: 'A' }, ...rest] });
    expect(judgeAnthropic(edited)?.message).toContain('bound to a different conversation');
    expect(judgeAnthropic(edited, [], { binding: 'off' })).toBeNull();
    expect(judgeAnthropic(edited, [], { binding: 'off', seed: 'other' })?.message).toContain('Invalid `sig');
  });

  it('takes ciphertexts that it made and refuses changed ones', () => {
    const asked = responsesBody();
    const sealed = encryptReasoning(asked, 'thought');
    const input = (ciphertext: string) => [
      userItem('hello'),
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: ciphertext },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] },
      userItem('more'),
    ];
    expect(judgeOpenai(responsesBody({ input: input(sealed) }))).toBeNull();
    expect(judgeOpenai(responsesBody({ input: input(`A${sealed.slice(1)}`) }))).toMatchObject({
      code: 'invalid_encrypted_content',
    });
    const compaction = {
      type: 'compaction',
      id: 'cmp_1',
      encrypted_content: encryptCompaction('cmp_1', 's'),
    };
    expect(judgeOpenai(responsesBody({ input: [userItem('a'), compaction, userItem('b')] }))).toBeNull();
  });
});
