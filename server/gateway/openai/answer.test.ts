import { describe, expect, it } from 'vitest';
import type { ReadAnswer } from '../adapter.ts';
import { exchangesOf, jsonOf, streamOf } from '../reading/testing/recorded.ts';
import { readAnswer } from './answer.ts';
import { parseMessage } from './message.ts';

const SSE = 'text/event-stream; charset=utf-8';
const JSON_TYPE = 'application/json';
const USAGE = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
  output_tokens: 50,
  output_tokens_details: { reasoning_tokens: 20 },
  total_tokens: 150,
};
const reasoning = {
  id: 'rs_1',
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: 'First.' }],
  encrypted_content: 'final',
};
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'I look. 🙂', annotations: [] }],
};
const call = {
  id: 'fc_1',
  type: 'function_call',
  status: 'completed',
  call_id: 'c1',
  name: 'exec',
  arguments: '{"cmd":"ls"}',
};
const custom = {
  id: 'ctc_1',
  type: 'custom_tool_call',
  status: 'completed',
  call_id: 'c2',
  name: 'apply_patch',
  input: '*** Begin',
};
const OUTPUT = [reasoning, message, call, custom];
const response = {
  id: 'resp_1',
  object: 'response',
  model: 'gpt-5.4',
  status: 'in_progress',
  output: [],
  error: null,
};

const item = (kind: 'added' | 'done', output_index: number, value: object) => ({
  type: `response.output_item.${kind}`,
  output_index,
  item: value,
});
const delta = (type: string, output_index: number, text: string, more: object = {}) => ({
  type: `response.${type}.delta`,
  output_index,
  delta: text,
  ...more,
});
const completed = {
  type: 'response.completed',
  response: { ...response, status: 'completed', output: OUTPUT, usage: USAGE },
};
const events = [
  { type: 'response.created', response },
  item('added', 0, { ...reasoning, summary: [], encrypted_content: '' }),
  delta('reasoning_summary_text', 0, 'Fir', { summary_index: 0 }),
  delta('reasoning_summary_text', 0, 'st.', { summary_index: 0 }),
  item('done', 0, reasoning),
  item('added', 1, { ...message, status: 'in_progress', content: [] }),
  {
    type: 'response.content_part.added',
    output_index: 1,
    content_index: 0,
    part: { type: 'output_text', text: '' },
  },
  delta('output_text', 1, 'I look. ', { content_index: 0, obfuscation: 'xx' }),
  delta('output_text', 1, '🙂', { content_index: 0 }),
  item('done', 1, message),
  item('added', 2, { ...call, status: 'in_progress', arguments: '' }),
  delta('function_call_arguments', 2, '{"cmd"'),
  delta('function_call_arguments', 2, ':"ls"}'),
  item('done', 2, call),
  item('added', 3, { ...custom, status: 'in_progress', input: '' }),
  delta('custom_tool_call_input', 3, '*** Begin'),
  item('done', 3, custom),
  { type: 'response.unheard_of', x: 1 },
];

function textOf(answer: ReadAnswer): string {
  return answer.messages.flatMap((one) => one.items.map((part) => part.text)).join('\u0001');
}

describe('a stream', () => {
  const answer = readAnswer(200, SSE, streamOf([...events, completed]));

  it('gives one message for each output item, in order, in the form that stands last', () => {
    expect(answer).toMatchObject({
      providerId: 'resp_1',
      model: 'gpt-5.4',
      stopReason: 'completed',
      complete: true,
      error: null,
    });
    expect(answer.messages).toEqual(OUTPUT.map((one) => parseMessage(jsonOf(one))));
  });

  it('counts in disjoint buckets', () => {
    expect(answer.usage).toEqual({
      input: 30,
      cacheRead: 60,
      cacheWrite5m: null,
      cacheWrite1h: null,
      cacheWriteOther: 10,
      output: 30,
      reasoning: 20,
    });
  });

  it('is the same with CRLF, without output in the last event, and in one body', () => {
    expect(readAnswer(200, SSE, streamOf([...events, completed], '\r\n'))).toEqual(answer);
    const lean = { ...completed, response: { ...completed.response, output: [] } };
    expect(readAnswer(200, SSE, streamOf([...events, lean]))).toEqual(answer);
    expect(readAnswer(200, SSE, streamOf([completed]))).toEqual(answer);
    expect(readAnswer(200, JSON_TYPE, jsonOf(completed.response))).toEqual(answer);
  });

  it('cut at any byte gives a beginning of the whole text, never complete before its end', () => {
    const body = streamOf([...events, completed]);
    const whole = textOf(answer);
    for (let cut = 0; cut <= body.length; cut++) {
      const part = readAnswer(200, SSE, body.subarray(0, cut));
      expect(whole.startsWith(textOf(part)), `cut at ${cut}`).toBe(true);
      if (part.complete) expect(cut).toBeGreaterThanOrEqual(body.length - 2);
    }
  });

  it('broken off within a call keeps what had arrived of it', () => {
    const broken = readAnswer(200, SSE, streamOf(events.slice(0, 12)));
    expect(broken).toMatchObject({ complete: false, stopReason: null });
    expect(broken.messages.at(-1)?.items[0]).toMatchObject({
      kind: 'tool_call',
      text: '{"cmd"',
      tool: { callId: 'c1' },
    });
  });

  it('that fails says why, and one that is cut short by a limit ends all the same', () => {
    const error = { code: 'context_length_exceeded', message: 'Too long.' };
    const failed = { type: 'response.failed', response: { ...response, status: 'failed', error } };
    expect(readAnswer(200, SSE, streamOf([...events.slice(0, 9), failed]))).toMatchObject({
      complete: false,
      error: { type: 'context_length_exceeded', message: 'Too long.' },
    });
    for (const event of [
      { type: 'error', ...error },
      { type: 'error', error },
    ]) {
      expect(readAnswer(200, SSE, streamOf([event])).error).toEqual({
        type: error.code,
        message: error.message,
      });
    }
    const incomplete = {
      ...response,
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    };
    expect(
      readAnswer(200, SSE, streamOf([...events, { type: 'response.incomplete', response: incomplete }])),
    ).toMatchObject({
      complete: true,
      stopReason: 'max_output_tokens',
    });
  });
});

describe('other answers', () => {
  it("say the provider's error, or its own words where it is none of the protocol's", () => {
    const error = { message: 'Slow down', type: 'requests', param: null, code: 'rate_limit_exceeded' };
    expect(readAnswer(429, JSON_TYPE, jsonOf({ error })).error).toEqual({
      type: 'rate_limit_exceeded',
      message: 'Slow down',
    });
    expect(readAnswer(401, JSON_TYPE, jsonOf({ error: { ...error, code: null } })).error?.type).toBe(
      'requests',
    );
    expect(readAnswer(502, 'text/html', Buffer.from('bad')).error).toEqual({
      type: 'http_502',
      message: 'bad',
    });
  });

  it('of a compaction hold its own item, not the messages that the request held', () => {
    const compaction = { type: 'compaction', id: 'cmp_1', encrypted_content: 'x' };
    const body = { id: 'resp_1', object: 'response.compaction', output: [message, compaction], usage: USAGE };
    expect(readAnswer(200, JSON_TYPE, jsonOf(body)).messages.map((one) => one.items[0]?.kind)).toEqual([
      'compaction',
    ]);
  });

  it('are nothing where they are empty or garbage', () => {
    for (const body of ['', 'garbage', 'data: {"type":', '{"a"', 'data: [DONE]\n\n']) {
      for (const type of [SSE, JSON_TYPE]) {
        expect(readAnswer(200, type, Buffer.from(body))).toMatchObject({
          messages: [],
          complete: false,
          usage: null,
        });
      }
    }
  });
});

describe.each([
  'gpt-5.4-session',
  'gpt-5.4-compaction',
  'gpt-5.4-subagent',
  'gpt-6.2-subagent',
  'builtin-session',
])('the recorded %s', (name) => {
  it('cut anywhere gives a beginning of the whole text', () => {
    for (const { answer, contentType, status } of exchangesOf(`codex/${name}`)) {
      const whole = readAnswer(status, contentType, answer);
      expect(whole).toMatchObject({ complete: true, error: null });
      for (let cut = 0; cut < answer.length; cut += 13) {
        expect(
          textOf(whole).startsWith(textOf(readAnswer(status, contentType, answer.subarray(0, cut)))),
        ).toBe(true);
      }
    }
  });
});
