import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../json.ts';
import { extractiveSummary } from '../script/summary.ts';
import { readAnthropicTurn } from './turn.ts';

const REMINDER = { type: 'text', text: '<system-reminder>\n# currentDate\n</system-reminder>' };
const typed = (text: string) => ({ type: 'text', text });
const user = (content: Json): JsonObject => ({ role: 'user', content });
const assistant = (content: Json): JsonObject => ({ role: 'assistant', content });
const call = (id: string) => ({ type: 'tool_use', id, name: 'Read', input: {} });
const result = (id: string, content: Json) => ({ type: 'tool_result', tool_use_id: id, content });

function read(messages: JsonObject[], changes: JsonObject = {}, headers: [string, string][] = []) {
  return readAnthropicTurn(
    { model: 'claude-opus-4-8', messages, tools: [{ name: 'Read' }], ...changes },
    { headers },
  );
}

describe('reading a request of Claude Code', () => {
  it('finds what was typed among what the agent injects', () => {
    const turn = read([user([REMINDER, typed('fix it')]), { role: 'system', content: 'agent types' }]);
    expect(turn).toMatchObject({ kind: 'main', prompt: 'fix it', round: 0 });
  });

  it('counts rounds from the last typed prompt and keeps results by round', () => {
    const turn = read([
      user([REMINDER, typed('first')]),
      assistant([call('1')]),
      user([result('1', 'old')]),
      assistant('done'),
      user('second'),
      assistant([call('2'), call('3')]),
      user([result('3', [typed('c')]), result('2', 'b'), REMINDER]),
    ]);
    expect(turn).toMatchObject({ prompt: 'second', round: 1, typed: ['first', 'second'] });
    expect(turn.results.map((round) => round.map(({ text }) => text))).toEqual([['c', 'b']]);
  });

  it('tells OpenCode’s and Pi’s side requests and sub-agents', () => {
    const asked = (system: string, changes: JsonObject = {}, headers: [string, string][] = []) =>
      read([user('x')], { tools: [], system: [typed(system)], ...changes }, headers).kind;
    expect(asked('You are a title generator. Say one.')).toBe('title');
    expect(asked('You are a context summarization assistant.')).toBe('compaction');
    expect(asked('You are a coding agent.', {}, [['x-parent-session-id', 'ses_1']])).toBe('sub');
    expect(asked('You are a title generator.', { tools: [{ name: 'read' }] })).toBe('main');
  });

  it('gives the same round to a request that comes again', () => {
    const messages = [user('a'), assistant([call('1')]), user([result('1', 'x')])];
    expect(read(messages).round).toBe(read(messages).round);
  });

  it('does not take hook feedback or finished background tasks for a person’s words', () => {
    const messages = [
      user('a'),
      assistant('b'),
      user('Stop hook feedback:\nagain'),
      assistant('c'),
      user('<task-notification>x'),
    ];
    expect(read(messages)).toMatchObject({ prompt: 'a', round: 2 });
  });

  it('knows titles, web searches, suggestions, sub-agents and compactions', () => {
    const format = { type: 'json_schema', schema: { properties: { title: {} } } };
    expect(read([user('<session>x</session>')], { tools: [], output_config: { format } }).kind).toBe('title');
    expect(read([user('q')], { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }).kind).toBe(
      'web-search',
    );
    expect(read([user('a'), assistant('b'), user('[SUGGESTION MODE: x')]).kind).toBe('suggestion');
    expect(read([user('a')], {}, [['X-Claude-Code-Agent-Id', 'abc']]).kind).toBe('sub');
    const compaction = typed('CRITICAL: Respond with TEXT ONLY. Your task is to create a detailed summary');
    expect(read([user('a'), assistant('b'), user([typed('c'), compaction])]).kind).toBe('compaction');
  });

  it('goes on after a compaction in the middle of a turn where the turn stood', () => {
    const before = read([user('long work'), assistant([call('1')]), user([result('1', 'x')])]);
    const summary = `This session is being continued from a previous conversation.\nSummary:\n${extractiveSummary(before)}`;
    const after = read([user([REMINDER, typed(summary)]), assistant([call('2')]), user([result('2', 'y')])]);
    expect(after).toMatchObject({ prompt: 'long work', round: 2 });
  });

  it('reads the working folder from the system prompt', () => {
    const system = [
      typed('x-anthropic-billing-header: a'),
      typed('# Environment\n - Primary working directory: /repo/a b\n - Platform: linux'),
    ];
    expect(read([user('a')], { system }).cwd).toBe('/repo/a b');
  });
});
