import { describe, expect, test } from 'vitest';
import { RETRIEVAL_TOOL, retrievalToolJson } from '../../recall/index.ts';
import { composeMessages } from '../anthropic/compose.ts';
import { assistantParts } from '../anthropic/put-back.ts';
import type { HiddenAnswer } from '../hidden/answers.ts';
import { composeItems } from '../openai/compose.ts';
import type { PlannedLayout } from './plan.ts';
import { clientRequest, itemsComposed, messagesComposed, NO_PLAN } from './testing/composing.ts';

type Json = Record<string, unknown>;

const text = (words: string): Json => ({ type: 'text', text: words });
const call = (id: string, name = 'Read'): Json => ({ type: 'tool_use', id, name, input: {} });
const result = (id: string, content: unknown = 'x'.repeat(80)): Json => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
});
const thinking: Json = { type: 'thinking', thinking: 'hm', signature: 'c2ln' };
const user = (...content: Json[]): Json => ({ role: 'user', content });
const said = (...content: Json[]): Json => ({ role: 'assistant', content });
const TOOLS = [{ name: 'Read', input_schema: { type: 'object' } }];
const messagesOf = (...messages: Json[]): Json => ({ model: 'm', max_tokens: 1, tools: TOOLS, messages });
const itemsOf = (...input: Json[]): Json => ({ model: 'm', store: false, input });
const layoutAt = (at: number, more: Partial<PlannedLayout> = {}): PlannedLayout => ({
  at,
  runningTyped: null,
  memory: null,
  index: 'INDEX',
  cacheMark: null,
  ...more,
});

describe('a plan with nothing in it', () => {
  test('gives the very same buffer', () => {
    const messages = clientRequest(
      'messages',
      messagesOf(user(text('a')), said(thinking, text('b')), user(text('c'))),
    );
    const items = clientRequest('input', itemsOf({ role: 'user', content: 'a' }));
    const first = composeMessages(messages.body, messages.scan, messages.elements, NO_PLAN);
    const second = composeItems(items.body, items.scan, items.elements, NO_PLAN);
    expect(first).toMatchObject({ named: [], runs: [] });
    expect('body' in first && first.body.joined()).toBe(messages.body);
    expect('body' in second && second.body.joined()).toBe(items.body);
  });

  test('gives it too where everything that is planned finds nothing to do', () => {
    const { body, scan, elements } = clientRequest('messages', { messages: [user(text('a'))] });
    const plan = { ...NO_PLAN, tool: retrievalToolJson('anthropic'), leavesReasoning: () => true };
    const composed = composeMessages(body, scan, elements, plan);
    expect('body' in composed && composed.body.joined()).toBe(body);
  });
});

describe('one element changed in several ways', () => {
  test('a typed message behind results opens the view without them, in the layout’s message', () => {
    const { composed, body, verdict } = messagesComposed<{ messages: Json[] }>(
      messagesOf(
        user(text('old')),
        said(call('t1')),
        user(result('t1'), text('typed behind')),
        said(call('t2')),
        user(result('t2')),
        said(call('t3')),
        user(result('t3')),
      ),
      {
        layout: layoutAt(5, { runningTyped: 2, memory: 'FACTS' }),
        results: [
          { element: 2, part: 0, kind: 'trimmed-result', text: 'never seen' },
          { element: 6, part: 0, kind: 'trimmed-result', text: 'cut' },
        ],
      },
    );
    expect(verdict).toEqual({ ok: true });
    expect(body.messages).toEqual([
      user(text('FACTS'), text('INDEX'), text('typed behind')),
      said(call('t3')),
      user(result('t3', 'cut')),
    ]);
    expect(composed.runs.map((run) => [run.is, 'what' in run ? run.what : run.from])).toEqual([
      ['left_out', 0],
      ['ours', 'memory'],
      ['ours', 'index'],
      ['changed', 'joined'],
      ['left_out', 3],
      ['kept', 5],
      ['changed', 'trimmed'],
    ]);
  });

  test('a trimmed result has ours beside it, and an answer its hidden round and no reasoning', () => {
    const echo = said(thinking, text('a'), call('t1'));
    const own = { ...call('h1', RETRIEVAL_TOOL), input: { q: 'x' } };
    const record: HiddenAnswer = {
      id: 'r',
      chain: '',
      open: false,
      parts: assistantParts(Buffer.from(JSON.stringify(echo))) ?? [],
      places: [],
      mixed: {
        message: JSON.stringify(said(thinking, text('a'), own, call('t1'))),
        results: [JSON.stringify(result('h1', 'found'))],
      },
    };
    const sent = messagesComposed<{ messages: Json[] }>(
      messagesOf(user(text('go')), echo, user(result('t1'), text('and this'))),
      {
        hidden: [record],
        results: [{ element: 2, part: 0, kind: 'trimmed-result', text: 'cut' }],
        leavesReasoning: () => true,
      },
    );
    expect(sent.verdict).toEqual({ ok: true });
    expect(sent.body.messages.slice(1)).toEqual([
      said(text('a'), own, call('t1')),
      user(result('t1', 'cut'), result('h1', 'found'), text('and this')),
    ]);
    const broken = messagesComposed<{ messages: Json[] }>(
      messagesOf(user(text('go')), said(text('a')), user(text('no'))),
      {
        hidden: [record],
      },
    );
    expect(broken.composed.named).toEqual([]);
  });

  test('an answer of thinking alone goes with the system message that only it made valid', () => {
    const { body, verdict } = messagesComposed<{ messages: Json[] }>(
      messagesOf(
        user(text('go')),
        { role: 'system', content: 'a hook' },
        said(thinking),
        user(text('stop')),
        { role: 'system', content: 'another' },
      ),
      { leavesReasoning: () => true },
    );
    expect(verdict).toEqual({ ok: true });
    expect(body.messages).toEqual([
      user(text('go')),
      user(text('stop')),
      { role: 'system', content: 'another' },
    ]);
  });
});

describe('a layout is not made', () => {
  test.each<[string, Json, string]>([
    ['a kind of part that nobody knows', user({ type: 'brand_new' }), 'brand_new'],
    ['a change of tools', { role: 'system', content: [{ type: 'tool_removal', tool: {} }] }, 'tool_removal'],
    [
      'a change of effort',
      { role: 'system', content: [], output_config: {} },
      'a system message with output_config',
    ],
    ['a compaction of the provider’s', said({ type: 'compaction', content: 'x' }), 'compaction'],
  ])('over %s', (_name, message, unknown) => {
    const { body, scan, elements } = clientRequest(
      'messages',
      messagesOf(user(text('a')), message, user(text('b'))),
    );
    expect(composeMessages(body, scan, elements, { ...NO_PLAN, layout: layoutAt(2) })).toEqual({ unknown });
  });

  test('where a result is planned that is not there', () => {
    const { body, scan, elements } = clientRequest('messages', messagesOf(user(text('a'))));
    const results = [{ element: 0, part: 0, kind: 'trimmed-result', text: 'cut' }] as const;
    expect(composeMessages(body, scan, elements, { ...NO_PLAN, results })).toHaveProperty('unknown');
    const items = clientRequest('input', itemsOf({ role: 'user', content: 'a' }));
    const planned = { ...NO_PLAN, results: [{ ...results[0], part: null }] };
    expect(composeItems(items.body, items.scan, items.elements, planned)).toHaveProperty('unknown');
  });
});

describe('on Responses', () => {
  const typed: Json = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'typed' }] };
  const reasoning = (id: string): Json => ({ type: 'reasoning', id, summary: [], encrypted_content: 'Y2k=' });
  const answer = (id: string): Json => ({ type: 'message', id, role: 'assistant', content: [] });

  test('a search for tools stays with the reasoning that led to it', () => {
    const search = {
      type: 'tool_search_call',
      id: 'ts_1',
      call_id: 'c1',
      execution: 'client',
      arguments: {},
    };
    const found = { type: 'tool_search_output', call_id: 'c1', execution: 'client', tools: [] };
    const input = [typed, reasoning('rs_1'), search, found, answer('msg_1'), typed, answer('msg_2'), typed];
    const { body, verdict } = itemsComposed<{ input: Json[] }>(itemsOf(...input), { layout: layoutAt(5) });
    expect(verdict).toEqual({ ok: true });
    expect(body.input.slice(0, 3)).toEqual(input.slice(1, 4));
    expect(body.input.slice(4)).toEqual(input.slice(5));
  });

  test('reasoning stays, and in the form behind a refusal goes, also where it led to a hidden call alone', () => {
    const input = [
      typed,
      reasoning('rs_1'),
      answer('msg_1'),
      typed,
      reasoning('rs_2'),
      answer('msg_2'),
      typed,
    ];
    const hidden = [{ id: 'h', after: ['id rs_2'], before: null, needs: [], sent: ['{}'] }];
    const older = (element: number) => element < 3;
    const kept = itemsComposed<{ input: Json[] }>(itemsOf(...input), { leavesReasoning: older });
    expect(kept.composed.named).toEqual([]);
    const plan = { leavesReasoning: older, hidden, fallBack: true };
    const { body, verdict } = itemsComposed<{ input: Json[] }>(itemsOf(...input), plan, 'untouched-or-none');
    expect(verdict).toEqual({ ok: true });
    expect(body.input).toEqual(input.filter((item) => item.type !== 'reasoning'));
  });

  test('a text as the whole input gets our tool at most', () => {
    const tools = [{ type: 'function', name: 'shell', parameters: {} }];
    const plan = { tool: retrievalToolJson('openai'), leavesReasoning: () => true };
    const { composed, verdict } = itemsComposed({ model: 'm', tools, input: 'go' }, plan);
    expect(verdict).toEqual({ ok: true });
    expect(composed.named).toEqual([{ kind: 'tool-definition', index: 1 }]);
  });
});
