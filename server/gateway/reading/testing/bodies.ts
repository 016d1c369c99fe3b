import fc from 'fast-check';

/** Any JavaScript string, lone surrogates and NUL among its characters. */
const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0, max: 0xffff })), {
    maxLength: 30,
  })
  .map((units) => String.fromCharCode(...units));
const word = fc.constantFrom(
  'text',
  'user',
  'assistant',
  'system',
  '',
  '<system-reminder>x</system-reminder>',
  'm',
  '{}',
);
const anyValue = fc.oneof(
  { weight: 3, arbitrary: anyText },
  { weight: 3, arbitrary: word },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  { weight: 1, arbitrary: fc.constantFrom(null, true, 0, -0, 1e300, [], {}) },
);

/** An object whose keys are the protocol's, each present or not, with values that fit or do not. */
function objectOf(
  keys: Readonly<Record<string, fc.Arbitrary<unknown>>>,
): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(keys).map(
    ([key, value]) =>
      [key, fc.oneof({ weight: 5, arbitrary: value }, { weight: 1, arbitrary: anyValue })] as const,
  );
  return fc.record(Object.fromEntries(fields), { requiredKeys: [] });
}

const base64 = fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString('base64'));

const anthropicPart = (depth: number): fc.Arbitrary<unknown> =>
  objectOf({
    type: fc.constantFrom(
      ...[
        'text',
        'thinking',
        'redacted_thinking',
        'tool_use',
        'tool_result',
        'server_tool_use',
        'image',
        'document',
      ],
      ...[
        'web_search_tool_result',
        'mcp_tool_use',
        'mcp_tool_result',
        'compaction',
        'search_result',
        'new_block',
      ],
    ),
    text: anyText,
    thinking: anyText,
    signature: base64,
    id: word,
    tool_use_id: word,
    name: fc.constantFrom('Read', 'Edit', 'Bash', 'x'),
    input: fc.dictionary(fc.constantFrom('file_path', 'command', 'path', 'a'), anyValue, { maxKeys: 3 }),
    content: depth > 2 ? anyText : fc.oneof(anyText, fc.array(anthropicPart(depth + 1), { maxLength: 3 })),
    source: objectOf({
      type: fc.constantFrom('base64', 'url', 'text'),
      media_type: word,
      data: base64,
      url: word,
    }),
    is_error: fc.boolean(),
    cache_control: fc.constant({ type: 'ephemeral' }),
    citations: fc.constantFrom(null, []),
  });

const anthropicBody = objectOf({
  model: word,
  messages: fc.array(
    objectOf({
      role: fc.constantFrom('user', 'assistant', 'system'),
      content: fc.oneof(anyText, fc.array(anthropicPart(0), { maxLength: 4 })),
    }),
    { maxLength: 5 },
  ),
  system: fc.oneof(
    anyText,
    fc.array(objectOf({ type: fc.constant('text'), text: anyText }), { maxLength: 3 }),
  ),
  tools: fc.array(objectOf({ name: word, type: fc.constantFrom('web_search_20250305', 'custom') }), {
    maxLength: 2,
  }),
  metadata: objectOf({ user_id: fc.oneof(anyText, fc.constant('{"session_id":"s"}')) }),
  max_tokens: fc.nat(),
  output_config: anyValue,
  stream: fc.boolean(),
});

const openaiPart = objectOf({
  type: fc.constantFrom('input_text', 'output_text', 'input_image', 'input_file', 'refusal', 'new_part'),
  text: anyText,
  refusal: anyText,
  image_url: base64.map((data) => `data:image/png;base64,${data}`),
  file_data: base64.map((data) => `data:application/pdf;base64,${data}`),
  filename: word,
  annotations: fc.constant([]),
});

const openaiItem = objectOf({
  type: fc.constantFrom(
    ...[
      'message',
      'reasoning',
      'function_call',
      'function_call_output',
      'custom_tool_call',
      'custom_tool_call_output',
    ],
    ...[
      'local_shell_call',
      'web_search_call',
      'mcp_call',
      'compaction',
      'compaction_trigger',
      'additional_tools',
    ],
    ...['agent_message', 'item_reference', 'new_item'],
  ),
  role: fc.constantFrom('user', 'assistant', 'developer', 'system'),
  content: fc.oneof(anyText, fc.array(openaiPart, { maxLength: 4 })),
  summary: fc.array(objectOf({ type: fc.constant('summary_text'), text: anyText }), { maxLength: 2 }),
  id: word,
  call_id: word,
  name: word,
  namespace: word,
  arguments: fc.oneof(anyText, fc.constant('{"cmd":"ls"}')),
  input: anyText,
  action: anyValue,
  output: fc.oneof(anyText, fc.array(openaiPart, { maxLength: 3 })),
  status: fc.constantFrom('completed', 'failed'),
  internal_chat_message_metadata_passthrough: objectOf({
    content_item_kinds: fc.array(
      fc.constantFrom('user.text', 'unknown', 'environments.environment_context'),
      { maxLength: 3 },
    ),
    content_item_metadata: anyValue,
  }),
});

const openaiBody = objectOf({
  model: word,
  input: fc.oneof(anyText, fc.array(openaiItem, { maxLength: 5 })),
  instructions: anyText,
  tools: fc.array(anyValue, { maxLength: 2 }),
  text: anyValue,
  client_metadata: objectOf({
    'x-codex-turn-metadata': fc.oneof(anyText, fc.constant('{"session_id":"s","workspaces":{"/a":{}}}')),
  }),
  prompt_cache_key: word,
  previous_response_id: word,
  stream: fc.boolean(),
});

/** Damage to bytes: cut, doubled, dropped, changed at a place, or none. */
const damage = fc.tuple(
  fc.constantFrom('none', 'none', 'cut', 'drop', 'change', 'insert', 'double', 'mark'),
  fc.nat(),
  fc.integer({ min: 0, max: 255 }),
);

function damaged(bytes: Buffer, [kind, at, byte]: readonly [string, number, number]): Buffer {
  const place = bytes.length === 0 ? 0 : at % bytes.length;
  const [before, after] = [bytes.subarray(0, place), bytes.subarray(place)];
  if (kind === 'cut') return before;
  if (kind === 'drop') return Buffer.concat([before, after.subarray(1)]);
  if (kind === 'change') return Buffer.concat([before, Buffer.from([byte]), after.subarray(1)]);
  if (kind === 'insert') return Buffer.concat([before, Buffer.from([byte]), after]);
  if (kind === 'double') return Buffer.concat([before, after, before]);
  return kind === 'mark' ? Buffer.concat([Buffer.from('\ufeff'), bytes]) : bytes;
}

/** Bodies that are nearly those of a protocol: fields missing or of another type, bytes damaged, any bytes at all. */
export const fuzzedBody: Readonly<Record<'anthropic' | 'openai', fc.Arbitrary<Buffer>>> = {
  anthropic: nearly(anthropicBody),
  openai: nearly(openaiBody),
};

function nearly(body: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<Buffer> {
  const text = body.map((value) => Buffer.from(JSON.stringify(value), 'utf8'));
  return fc.oneof(
    { weight: 20, arbitrary: fc.tuple(text, damage).map(([bytes, how]) => damaged(bytes, how)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
    {
      weight: 1,
      arbitrary: fc
        .integer({ min: 1, max: 20000 })
        .map((depth) => Buffer.from(`{"messages":[${'['.repeat(depth)}`)),
    },
  );
}

const index = fc.constantFrom<unknown>(0, 0, 0, 1, 1, 2, -1, 'x', null, 1e9);
const anthropicEvent = objectOf({
  type: fc.constantFrom(
    ...[
      'message_start',
      'content_block_start',
      'content_block_start',
      'content_block_start',
      'content_block_delta',
    ],
    ...[
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
      'error',
      'ping',
      'new_event',
    ],
  ),
  index,
  message: objectOf({
    id: word,
    model: word,
    usage: objectOf({ input_tokens: fc.nat(), cache_creation: anyValue }),
  }),
  content_block: anthropicPart(1),
  delta: objectOf({
    type: fc.constantFrom(
      'text_delta',
      'input_json_delta',
      'thinking_delta',
      'signature_delta',
      'citations_delta',
      'x',
    ),
    text: anyText,
    partial_json: fc.constantFrom('{"a', '":1}', '', 'x'),
    thinking: anyText,
    citation: anyValue,
    stop_reason: word,
  }),
  usage: objectOf({ output_tokens: fc.nat() }),
  error: objectOf({ type: word, message: anyText }),
});
const openaiEvent = objectOf({
  type: fc.constantFrom(
    ...[
      'response.created',
      'response.output_item.added',
      'response.output_item.done',
      'response.output_text.delta',
    ],
    ...[
      'response.function_call_arguments.delta',
      'response.custom_tool_call_input.delta',
      'response.completed',
    ],
    ...[
      'response.reasoning_summary_text.delta',
      'response.incomplete',
      'response.failed',
      'error',
      'new.delta',
    ],
  ),
  output_index: index,
  content_index: index,
  summary_index: index,
  delta: anyText,
  item: openaiItem,
  response: objectOf({
    id: word,
    output: fc.array(openaiItem, { maxLength: 3 }),
    usage: anyValue,
    error: anyValue,
  }),
});

/** Event streams (and JSON bodies) that are nearly answers of a protocol. */
export const fuzzedAnswer: Readonly<Record<'anthropic' | 'openai', fc.Arbitrary<Buffer>>> = {
  anthropic: stream(anthropicEvent),
  openai: stream(openaiEvent),
};

function stream(event: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<Buffer> {
  const end = fc.constantFrom('\n\n', '\r\n\r\n', '\r\r', '\n', '\n: comment\n\n');
  const text = fc
    .array(fc.tuple(event, end), { maxLength: 12 })
    .map((events) =>
      Buffer.from(events.map(([data, after]) => `data: ${JSON.stringify(data)}${after}`).join('')),
    );
  return fc.oneof(
    { weight: 8, arbitrary: fc.tuple(text, damage).map(([bytes, how]) => damaged(bytes, how)) },
    { weight: 1, arbitrary: event.map((data) => Buffer.from(JSON.stringify(data))) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  );
}
