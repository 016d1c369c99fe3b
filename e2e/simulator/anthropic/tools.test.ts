import { describe, expect, it } from 'vitest';
import { asObject, asObjects, type Json, type JsonObject } from '../json.ts';
import { judgeAnthropic, signThinking } from '../judge.ts';
import { startSimulator } from '../simulator.ts';
import { messagesBody, postMessages } from '../testing.ts';

const user = (content: Json): JsonObject => ({ role: 'user', content });
const assistant = (content: Json): JsonObject => ({ role: 'assistant', content });
const search = { name: 'ToolSearch', input_schema: { type: 'object' } };
const deferred = (description = 'd'): JsonObject => ({
  name: 'Weather',
  description,
  input_schema: { type: 'object' },
  defer_loading: true,
});
const reference = { type: 'tool_reference', tool_name: 'Weather' };
const loading = [
  user('a'),
  assistant([{ type: 'tool_use', id: 't1', name: 'ToolSearch', input: {} }]),
  user([{ type: 'tool_result', tool_use_id: 't1', content: [reference] }]),
];
const calling = [
  assistant([{ type: 'tool_use', id: 't2', name: 'Weather', input: {} }]),
  user([{ type: 'tool_result', tool_use_id: 't2', content: 'sun' }]),
];
const body = (messages: Json[], tools: JsonObject[] = [search, deferred()], changes: JsonObject = {}) =>
  messagesBody({ messages, tools, ...changes });

describe('deferred tools', () => {
  it('are called behind a reference to them, from the client’s search or the provider’s', () => {
    expect(judgeAnthropic(body([...loading, ...calling]))).toBeNull();
    const found = { type: 'tool_search_tool_search_result', tool_references: [reference] };
    const hosted = [
      user('a'),
      assistant([
        { type: 'server_tool_use', id: 's1', name: 'tool_search_tool_regex', input: { pattern: 'w' } },
        { type: 'tool_search_tool_result', tool_use_id: 's1', content: found },
        { type: 'tool_use', id: 't2', name: 'Weather', input: {} },
      ]),
      calling[1] ?? {},
    ];
    const hostedSearch = { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' };
    expect(judgeAnthropic(body(hosted, [hostedSearch, deferred()]))).toBeNull();
  });

  it('are refused when called without one, unless the switch is off', () => {
    const messages = [user('a'), ...calling];
    expect(judgeAnthropic(body(messages))?.message).toContain("tool 'Weather' has defer_loading=true");
    const rules = { 'anthropic.deferred-call-needs-reference': false };
    expect(judgeAnthropic(body(messages), [], { rules })).toBeNull();
  });

  it('are refused when referenced but not defined, when all are deferred, and with a cache mark', () => {
    expect(judgeAnthropic(body(loading, [search]))?.message).toBe(
      "messages.2.content.0.content.0: Tool reference 'Weather' not found in available tools",
    );
    expect(judgeAnthropic(body([user('a')], [deferred()]))?.message).toContain('At least one tool');
    const marked = { ...deferred(), cache_control: { type: 'ephemeral' } };
    expect(judgeAnthropic(body([user('a')], [search, marked]))?.message).toContain('defer_loading');
  });

  it('are read and billed where they are loaded, not before', async () => {
    const simulator = await startSimulator();
    const input = async (messages: Json[], tools: JsonObject[]) => {
      const { json } = await postMessages(simulator, body(messages, tools));
      return Number(asObject(json.usage)?.input_tokens);
    };
    const long = deferred('x'.repeat(4000));
    expect(await input([user('a')], [search, long])).toBe(await input([user('a')], [search]));
    expect(await input(loading, [search, long])).toBeGreaterThan(1000);
    await simulator.stop();
  });

  it('leave bound thinking valid when they are added or changed unreferenced, not when referenced', () => {
    const model = 'claude-fable-5-2';
    const signed = (messages: Json[], tools: JsonObject[]) =>
      signThinking(body(messages, tools, { model }), ['deep']);
    const answered = (messages: Json[], thinking: JsonObject[]) => [
      ...messages,
      assistant([...thinking, { type: 'text', text: 'x' }]),
      user('on'),
    ];
    const plain = answered([user('a')], signed([user('a')], [search]));
    expect(judgeAnthropic(body(plain, [search, deferred()], { model }))).toBeNull();
    const loaded = answered(loading, signed(loading, [search, deferred()]));
    expect(judgeAnthropic(body(loaded, [search, deferred()], { model }))).toBeNull();
    expect(judgeAnthropic(body(loaded, [search, deferred('other')], { model }))?.message).toContain(
      'bound to a different conversation',
    );
  });
});

describe('tool changes in system messages', () => {
  const headers = [['anthropic-beta', 'mid-conversation-tool-changes-2026-07-01']] as const;
  const change = (type: string, tool: JsonObject) => [
    user('a'),
    { role: 'system', content: [{ type, tool }] },
  ];
  const named = (name: string) => ({ type: 'tool_reference', name });

  it('name tools that are defined at that place, or bring their definition', () => {
    expect(judgeAnthropic(body(change('tool_addition', named('Weather'))), headers)).toBeNull();
    expect(judgeAnthropic(body(change('tool_removal', named('Nothing'))), headers)).toMatchObject({
      code: 'tool_reference_unresolved',
    });
    const define = (name: string) => ({ type: 'tool_definition', definition: { name, input_schema: {} } });
    expect(judgeAnthropic(body(change('tool_addition', define('New'))), headers)).toBeNull();
    expect(judgeAnthropic(body(change('tool_addition', define('Weather'))), headers)).toMatchObject({
      code: 'tool_name_conflict',
    });
  });

  it('need their header, unless the switch is off', () => {
    const added = body(change('tool_addition', named('Weather')));
    expect(judgeAnthropic(added)?.message).toContain("Input tag 'tool_addition'");
    const rules = { 'anthropic.beta-blocks-need-header': false };
    expect(judgeAnthropic(added, [], { rules })).toBeNull();
  });

  it('load a deferred tool', () => {
    const messages = [...change('tool_addition', named('Weather')), ...calling];
    expect(judgeAnthropic(body(messages), headers)).toBeNull();
  });
});

describe('the tool list', () => {
  it('takes names of up to 128 characters, or 64 by the switch', () => {
    const named = (length: number) => body([user('a')], [{ name: 'n'.repeat(length), input_schema: {} }]);
    expect(judgeAnthropic(named(128))).toBeNull();
    expect(judgeAnthropic(named(129))?.message).toContain('{1,128}');
    const rules = { 'anthropic.tool-name-64': true };
    expect(judgeAnthropic(named(64), [], { rules })).toBeNull();
    expect(judgeAnthropic(named(65), [], { rules })?.message).toContain('{1,64}');
    expect(judgeAnthropic(named(129), [], { rules: { 'anthropic.tool-name-pattern': false } })).toBeNull();
  });

  it('is offered to the scripted model with what was added in messages', async () => {
    const simulator = await startSimulator();
    simulator.script.add((turn) => ({ steps: [{ say: turn.tools.map((tool) => tool.name).join(',') }] }));
    const definition = { name: 'New', input_schema: {} };
    const added = [
      user('a'),
      { role: 'system', content: [{ type: 'tool_addition', tool: { type: 'tool_definition', definition } }] },
    ];
    const beta = 'mid-conversation-tool-changes-2026-07-01';
    const reply = await postMessages(simulator, body(added, [search]), { 'anthropic-beta': beta });
    expect(asObjects(reply.json.content)[0]?.text).toBe('ToolSearch,New');
    await simulator.stop();
  });
});
