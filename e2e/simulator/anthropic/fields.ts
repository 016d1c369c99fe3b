/** Members of the body that need no beta header. */
export const BODY_FIELDS: ReadonlySet<string> = new Set([
  'model',
  'max_tokens',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'cache_control',
  'container',
  'diagnostics',
  'inference_geo',
  'metadata',
  'service_tier',
  'speed',
  'stop_sequences',
  'stream',
  'temperature',
  'top_p',
  'top_k',
]);

const CACHED = ['cache_control'];

/** Members of each known block type, `type` left out. */
export const BLOCK_FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ['text', 'citations', ...CACHED],
  image: ['source', 'transformations', ...CACHED],
  document: ['source', 'citations', 'title', 'context', ...CACHED],
  search_result: ['source', 'title', 'content', 'citations', ...CACHED],
  thinking: ['thinking', 'signature'],
  redacted_thinking: ['data'],
  tool_use: ['id', 'name', 'input', 'caller', 'toolset_name', ...CACHED],
  tool_result: ['tool_use_id', 'content', 'is_error', 'toolset_name', ...CACHED],
  server_tool_use: ['id', 'name', 'input', 'caller', ...CACHED],
  web_search_tool_result: ['tool_use_id', 'content', 'caller', ...CACHED],
  web_fetch_tool_result: ['tool_use_id', 'content', 'caller', ...CACHED],
  code_execution_tool_result: ['tool_use_id', 'content', ...CACHED],
  bash_code_execution_tool_result: ['tool_use_id', 'content', ...CACHED],
  text_editor_code_execution_tool_result: ['tool_use_id', 'content', ...CACHED],
  tool_search_tool_result: ['tool_use_id', 'content', ...CACHED],
  container_upload: ['file_id', ...CACHED],
  tool_reference: ['tool_name', ...CACHED],
  browser_state: ['content', ...CACHED],
};

/** Members of a message, by role; betas add to those of system messages. */
export const MESSAGE_FIELDS: ReadonlySet<string> = new Set(['role', 'content', 'clear_at', 'output_config']);

/** Members of a client tool. */
export const TOOL_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'name',
  'description',
  'input_schema',
  'cache_control',
  'defer_loading',
  'strict',
  'allowed_callers',
  'input_examples',
  'eager_input_streaming',
]);
