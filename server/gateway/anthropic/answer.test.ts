import { describe, expect, it } from 'vitest';
import type { ReadAnswer } from '../adapter.ts';
import { exchangesOf, jsonOf, streamOf } from '../reading/testing/recorded.ts';
import { readAnswer } from './answer.ts';
import { parseMessage } from './message.ts';

const SSE = 'text/event-stream; charset=utf-8';
const JSON_TYPE = 'application/json';

const start = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    model: 'claude-opus-4-8',
    usage: {
      input_tokens: 10,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 50,
      cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 25 },
      output_tokens: 1,
    },
  },
};
const open = (index: number, content_block: object) => ({
  type: 'content_block_start',
  index,
  content_block,
});
const delta = (index: number, value: object) => ({ type: 'content_block_delta', index, delta: value });
const stop = (index: number) => ({ type: 'content_block_stop', index });
const end = [
  {
    type: 'message_delta',
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { output_tokens: 42, input_tokens: null, output_tokens_details: { thinking_tokens: 12 } },
  },
  { type: 'message_stop' },
];
const INPUT = '{ "path":"/a\\u00e9","n":12345678901234567890 ,"s":"\\ud83d\\ude42"}';
const events = [
  start,
  { type: 'ping' },
  open(0, { type: 'thinking', thinking: '', signature: '' }),
  delta(0, { type: 'thinking_delta', thinking: 'First ' }),
  delta(0, { type: 'thinking_delta', thinking: 'this.' }),
  delta(0, { type: 'signature_delta', signature: 'c2ln' }),
  stop(0),
  { type: 'new_event', index: 7 },
  open(1, { type: 'text', text: '' }),
  delta(1, { type: 'text_delta', text: 'ünï ' }),
  delta(1, { type: 'text_delta', text: '\ud83d' }),
  delta(1, { type: 'text_delta', text: '\ude42' }),
  stop(1),
  open(2, { type: 'tool_use', id: 'toolu_1', name: 'Edit', input: {} }),
  ...['', INPUT.slice(0, 9), INPUT.slice(9, 30), INPUT.slice(30)].map((partial_json) =>
    delta(2, { type: 'input_json_delta', partial_json }),
  ),
  stop(2),
  ...end,
];

function textOf(answer: ReadAnswer): string {
  return answer.messages.flatMap((message) => message.items.map((item) => item.text)).join('\u0001');
}

describe('a stream', () => {
  const answer = readAnswer(200, SSE, streamOf(events));

  it('gives the message with its texts, its signed thinking and the input exactly as it came in pieces', () => {
    expect(answer).toMatchObject({
      providerId: 'msg_1',
      model: 'claude-opus-4-8',
      stopReason: 'tool_use',
      complete: true,
      error: null,
    });
    const [message] = answer.messages;
    expect(message?.items.map((item) => [item.kind, item.text])).toEqual([
      ['reasoning', 'First this.'],
      ['answer', 'ünï 🙂'],
      ['tool_call', INPUT],
    ]);
    expect(JSON.parse(Buffer.from(message?.items[0]?.body ?? []).toString())).toEqual({
      type: 'thinking',
      thinking: 'First this.',
      signature: 'c2ln',
    });
  });

  it('gives the message that the agent will send back', () => {
    const echo = `{"role":"assistant","content":[{"type":"text","text":"ünï 🙂"},{"type":"tool_use","id":"toolu_1","name":"Edit","input":${INPUT}}]}`;
    expect(answer.messages[0]?.canonical).toEqual(parseMessage(Buffer.from(echo)).canonical);
  });

  it('counts in disjoint buckets, the last value of each field, a null taking nothing away', () => {
    expect(answer.usage).toEqual({
      input: 10,
      cacheRead: 100,
      cacheWrite5m: 20,
      cacheWrite1h: 25,
      cacheWriteOther: 5,
      output: 30,
      reasoning: 12,
    });
  });

  it('is the same with CRLF, with comments and in one body without streaming', () => {
    expect(readAnswer(200, SSE, streamOf(events, '\r\n'))).toEqual(answer);
    const commented = Buffer.concat(
      events.map((event) => Buffer.concat([Buffer.from(': ok\n\n'), streamOf([event])])),
    );
    expect(readAnswer(200, SSE, commented)).toEqual(answer);
    const body = `{"type":"message","id":"msg_1","model":"claude-opus-4-8","stop_reason":"tool_use","content":[
      {"type":"thinking","thinking":"First this.","signature":"c2ln"},{"type":"text","text":"ünï 🙂"},
      {"type":"tool_use","id":"toolu_1","name":"Edit","input":${INPUT}}],"usage":${JSON.stringify({
        ...start.message.usage,
        output_tokens: 42,
        output_tokens_details: { thinking_tokens: 12 },
      })}}`;
    expect(readAnswer(200, JSON_TYPE, Buffer.from(body))).toEqual(answer);
  });

  it('cut at any byte gives a beginning of the whole text, never complete before its end', () => {
    const body = streamOf(events);
    const whole = textOf(answer);
    for (let cut = 0; cut <= body.length; cut++) {
      const part = readAnswer(200, SSE, body.subarray(0, cut));
      expect(whole.startsWith(textOf(part)), `cut at ${cut}`).toBe(true);
      // The last event is whole once its data line is.
      if (part.complete) expect(cut).toBeGreaterThanOrEqual(body.length - 2);
    }
  });

  it('that ends in an error is not complete and says it', () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    const broken = readAnswer(200, SSE, streamOf([...events.slice(0, 12), error]));
    expect(broken).toMatchObject({ complete: false, error: error.error });
    expect(textOf(broken)).toBe('First this.\u0001ünï 🙂');
  });

  it('keeps a whole call of an answer that broke off behind it', () => {
    const broken = readAnswer(
      200,
      SSE,
      streamOf([
        ...events.slice(0, -2),
        open(3, { type: 'tool_use', id: 'toolu_2', name: 'Bash', input: {} }),
        delta(3, { type: 'input_json_delta', partial_json: '{"comm' }),
      ]),
    );
    const items = broken.messages[0]?.items ?? [];
    expect(items.map((item) => item.text).slice(2)).toEqual([INPUT, '{"comm']);
    expect(items[3]).toMatchObject({ kind: 'tool_call', tool: { callId: 'toolu_2', name: 'Bash' } });
  });

  it('takes server results, citations and compactions as they come', () => {
    const citation = { type: 'char_location', cited_text: 'x' };
    const result = {
      type: 'web_search_tool_result',
      tool_use_id: 's',
      content: [{ type: 'web_search_result', title: 'T', url: 'u', n: 1 }],
    };
    const read = readAnswer(
      200,
      SSE,
      streamOf([
        start,
        open(0, result),
        stop(0),
        open(1, { type: 'text', text: 'a', citations: [] }),
        delta(1, { type: 'citations_delta', citation }),
        delta(1, { type: 'text_delta', text: 'b' }),
        stop(1),
        open(2, { type: 'compaction', content: null }),
        delta(2, { type: 'compaction_delta', content: 'short' }),
        stop(2),
        open(3, { type: 'tool_use', id: 't', name: 'Now', input: {} }),
        stop(3),
        ...end,
      ]),
    );
    const items = read.messages[0]?.items ?? [];
    expect(items.map((item) => [item.kind, item.text])).toEqual([
      ['tool_result', 'T\nu'],
      ['answer', 'ab'],
      ['compaction', 'short'],
      ['tool_call', '{}'],
    ]);
    expect(JSON.parse(Buffer.from(items[1]?.body ?? []).toString()).citations).toEqual([citation]);
  });
});

describe('other answers', () => {
  it("say the provider's error, or its own words where it is none of the protocol's", () => {
    const error = { type: 'rate_limit_error', message: 'Slow down' };
    expect(readAnswer(429, JSON_TYPE, jsonOf({ type: 'error', error }))).toMatchObject({
      error,
      complete: false,
      messages: [],
    });
    expect(readAnswer(502, 'text/html', Buffer.from('<html>bad</html>')).error).toEqual({
      type: 'http_502',
      message: '<html>bad</html>',
    });
    expect(readAnswer(200, SSE, streamOf([{ type: 'error', error } as { type: string }])).error).toEqual(
      error,
    );
  });

  it('are nothing where they are empty or garbage', () => {
    for (const body of ['', 'garbage', 'data: {"type":', '{"a"']) {
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

describe.each(['opus-one-shot', 'opus-session', 'opus-subagent', 'opus-image', 'sonnet-session'])(
  'the recorded %s',
  (name) => {
    it('cut anywhere gives a beginning of the whole text', () => {
      for (const { answer, contentType, status } of exchangesOf(`claude-code/${name}`)) {
        const whole = readAnswer(status, contentType, answer);
        expect(whole).toMatchObject({ complete: true, error: null });
        for (let cut = 0; cut < answer.length; cut += 7) {
          expect(
            textOf(whole).startsWith(textOf(readAnswer(status, contentType, answer.subarray(0, cut)))),
          ).toBe(true);
        }
      }
    });
  },
);
