import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json.ts';
import { extractiveSummary } from '../script/summary.ts';
import { seal } from '../seal.ts';
import { userItem } from '../testing.ts';
import { readOpenAiTurn } from './turn.ts';

const ENVIRONMENT = userItem('<environment_context>\n  <cwd>/repo</cwd>\n</environment_context>');
const call = (id: string): JsonObject => ({
  type: 'function_call',
  call_id: id,
  name: 'exec_command',
  arguments: '{}',
});
const output = (id: string, text: string): JsonObject => ({
  type: 'function_call_output',
  call_id: id,
  output: text,
});
const reasoning: JsonObject = { type: 'reasoning', id: 'rs_1', summary: [] };

function read(input: JsonObject[], changes: JsonObject = {}, headers: [string, string][] = []) {
  return readOpenAiTurn({ model: 'gpt-5.5', input, ...changes }, { headers }, 'secret');
}

describe('reading a request of Codex', () => {
  it('finds what was typed, the rounds since, their results and the working folder', () => {
    const turn = read([
      ENVIRONMENT,
      userItem('do it'),
      reasoning,
      call('1'),
      call('2'),
      output('1', 'a'),
      output('2', 'b'),
      call('3'),
      output('3', 'c'),
    ]);
    expect(turn).toMatchObject({ kind: 'main', prompt: 'do it', round: 2, cwd: '/repo' });
    expect(turn.results.map((round) => round.map(({ text }) => text))).toEqual([['a', 'b'], ['c']]);
  });

  it('trusts the agent’s own marks of who wrote a text', () => {
    const marked = {
      ...userItem('plain words'),
      internal_chat_message_metadata_passthrough: {
        content_item_kinds: ['environments.environment_context'],
      },
    };
    expect(read([userItem('typed'), marked]).prompt).toBe('typed');
  });

  it('finds tools at the top, in namespaces and in an item of additional tools', () => {
    const additional = {
      type: 'additional_tools',
      tools: [{ type: 'namespace', name: 'functions', tools: [{ type: 'custom', name: 'exec' }] }],
    };
    const turn = read([additional, userItem('a')], {
      tools: [{ type: 'function', name: 'exec_command' }, { type: 'web_search' }],
    });
    expect(turn.tools).toEqual([
      { name: 'exec_command', namespace: undefined, kind: 'function' },
      { name: 'web_search', namespace: undefined, kind: 'hosted' },
      { name: 'exec', namespace: 'functions', kind: 'custom' },
    ]);
  });

  it('gives a forked sub-agent its own task and not its parent’s prompt', () => {
    const spawned = {
      type: 'message',
      role: 'developer',
      content: [{ type: 'input_text', text: 'You are now a newly spawned child agent.' }],
    };
    const head = {
      type: 'input_text',
      text: 'Message Type: NEW_TASK\nTask name: /root/x\nSender: /root\nPayload:\n',
    };
    const task = {
      type: 'agent_message',
      content: [head, { type: 'encrypted_content', encrypted_content: 'inner work' }],
    };
    const turn = read([userItem('outer'), spawned, task], {}, [['x-openai-subagent', 'collab_spawn']]);
    expect(turn).toMatchObject({ kind: 'sub', prompt: 'inner work', round: 0 });
  });

  it('does not take a child’s final answer for a prompt', () => {
    const answer = {
      type: 'agent_message',
      content: [{ type: 'input_text', text: 'Message Type: FINAL_ANSWER\nPayload:\ndone' }],
    };
    expect(read([userItem('outer'), call('1'), output('1', 'x'), answer])).toMatchObject({
      prompt: 'outer',
      round: 1,
    });
  });

  it('takes the body’s word for what a request is before that of the headers, which a WebSocket has from its upgrade', () => {
    const meta = (kind: string) => JSON.stringify({ request_kind: kind });
    const request = { headers: [['x-codex-turn-metadata', meta('prewarm')]] as const };
    const body = { input: 'a', client_metadata: { 'x-codex-turn-metadata': meta('turn') } };
    expect(readOpenAiTurn(body, request).kind).toBe('main');
    expect(readOpenAiTurn({ input: 'a' }, request).kind).toBe('prewarm');
  });

  it('knows local and remote compaction, and goes on after either where the turn stood', () => {
    const history = [userItem('long work'), call('1'), output('1', 'x')];
    const local = read([...history, userItem('You are performing a CONTEXT CHECKPOINT COMPACTION. Create')]);
    const remote = read([...history, { type: 'compaction_trigger' }]);
    expect([local.kind, remote.kind]).toEqual(['compaction', 'compaction']);
    const summary = userItem(`Another language model started to solve this.\n${extractiveSummary(local)}`);
    const item = {
      type: 'compaction',
      id: 'cmp_1',
      encrypted_content: seal({ summary: extractiveSummary(remote) }, 'secret'),
    };
    for (const left of [summary, item]) {
      expect(read([userItem('long work'), left])).toMatchObject({
        kind: 'main',
        prompt: 'long work',
        round: 1,
      });
    }
  });
});
