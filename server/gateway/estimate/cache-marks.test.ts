import { describe, expect, test } from 'vitest';
import { scanBody } from '../../conversation/index.ts';
import { exchangesOf, jsonOf } from '../reading/testing/recorded.ts';
import { cacheLifetimeOf, limitFor, markLifetime } from './index.ts';

const MINUTE = 60_000;
const short = { cache_control: { type: 'ephemeral' } };
const long = { cache_control: { ttl: '1h', type: 'ephemeral' } };
const none = {};

const scanned = (body: Buffer) => {
  const scan = scanBody(body, new Set(['messages', 'input']));
  if (scan === null) throw new Error('no object');
  return scan;
};

/** A body with these marks: on the last tool, on the system prompt, on the two newest messages, at the top level. */
const marked = (tool: object, system: object, older: object, newest: object, top: object = none) =>
  jsonOf({
    model: 'm',
    tools: [{ name: 'a', ...tool }],
    system: [{ type: 'text', text: 'x', ...system }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: '"cache_control":{"type":"ephemeral","ttl":"1h"}' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'x', ...older }] },
      { role: 'user', content: [{ type: 'tool_result', content: [{ type: 'text', text: 'y', ...newest }] }] },
    ],
    ...top,
  });

describe('the lifetime of a prompt', () => {
  test('is what the client’s newest mark asks for on the Messages API, and five minutes without one', () => {
    const minutes = (body: Buffer) => cacheLifetimeOf('anthropic', body, scanned(body), 'm') / MINUTE;
    expect(minutes(marked(none, none, none, none))).toBe(5);
    expect(minutes(marked(long, long, long, long))).toBe(60);
    expect(minutes(marked(long, long, none, short))).toBe(5);
    expect(minutes(marked(long, none, none, none))).toBe(60);
    expect(minutes(marked(none, none, short, none, long))).toBe(60);
    expect(minutes(Buffer.from(marked(none, none, none, long).toString().replaceAll(':', ' : ')))).toBe(60);
  });

  test('is what the request or else the vendor says on Responses', () => {
    const minutes = (model: string | null, fields: object = {}) => {
      const body = jsonOf({ model, input: [], ...fields });
      return cacheLifetimeOf('openai', body, scanned(body), model) / MINUTE;
    };
    expect(['gpt-5.4', 'gpt-5', 'gpt-5.5'].map((model) => minutes(model))).toEqual([10, 10, 10]);
    expect(
      ['gpt-5.6-sol', 'gpt-6-luna', 'gpt-6.2-sol', 'other', null].map((model) => minutes(model)),
    ).toEqual([30, 30, 30, 30, 30]);
    expect(minutes('gpt-6.2-sol', { prompt_cache_options: { mode: 'implicit', ttl: '12h' } })).toBe(720);
    expect(minutes('gpt-5.4', { prompt_cache_retention: '24h' })).toBe(1_440);
    expect(minutes('gpt-5.4', { prompt_cache_retention: null })).toBe(10);
  });
});

describe('a mark of ours behind the head', () => {
  const lifetime = (body: Buffer) => markLifetime(body, scanned(body));

  test('has the client’s lifetime at its place, so that none for an hour is behind one for five minutes', () => {
    expect(lifetime(marked(none, short, none, short))).toBe('5m');
    expect(lifetime(marked(none, long, none, long))).toBe('1h');
    expect(lifetime(marked(none, long, none, short))).toBe('5m');
    expect(lifetime(marked(none, none, long, short))).toBe('1h');
    expect(lifetime(marked(long, none, none, none))).toBe('1h');
    expect(lifetime(marked(none, short, none, none, short))).toBe('5m');
  });

  test('is not set where the client sets none, or four already', () => {
    expect(lifetime(marked(none, none, none, none))).toBeNull();
    expect(lifetime(marked(short, short, short, short))).toBeNull();
    expect(lifetime(marked(short, short, none, short, short))).toBeNull();
  });

  test('is free beside what the recorded agents set; a parameter of a tool is no mark', () => {
    for (const name of ['claude-code/opus-session', 'opencode/anthropic-session', 'pi/anthropic-session']) {
      const main = exchangesOf(name).filter(
        ({ head, body }) => head.target.includes('/messages') && body.length > 5_000,
      );
      expect(main.length).toBeGreaterThan(2);
      for (const { body } of main) expect(lifetime(body)).toBe('5m');
    }
    const parameter = { input_schema: { properties: { cache_control: { type: 'string' } } } };
    expect(lifetime(marked(parameter, none, none, none))).toBeNull();
  });
});

describe('the limit of a prompt', () => {
  const beta = (value: string) => new Map([['anthropic-beta', value]]);
  const claude = { agent: 'claude-code' } as const;

  test('is what a person set, else by window and agent, else unknown', () => {
    expect(limitFor(claude, 'claude-sonnet-4-6', beta(''), 90_000)).toBe(90_000);
    expect(limitFor(claude, 'claude-haiku-4-5', beta(''), null)).toBe(160_000);
    expect(limitFor(claude, 'a-model-of-theirs', beta(''), null)).toBeNull();
    expect(limitFor(claude, null, beta(''), null)).toBeNull();
    expect(limitFor(claude, null, beta(''), 90_000)).toBe(90_000);
  });

  test('keeps below the point where Claude Code compacts, unless it asks for the long window', () => {
    const limit = (value: string) => limitFor(claude, 'claude-sonnet-4-6', beta(value), null);
    expect(limit('claude-code-20250219')).toBe(158_650);
    expect(limit('claude-code-20250219, context-1m-2025-08-07')).toBe(800_000);
    expect(limitFor({ agent: 'pi' }, 'claude-sonnet-4-6', new Map(), null)).toBe(800_000);
  });
});
