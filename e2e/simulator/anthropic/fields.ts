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

/**
 * Members of the body that need a beta header, with the starts of the header values that open them. Where the exact
 * value is not known, a start is enough.
 */
export const BETA_BODY_FIELDS: Readonly<Record<string, readonly string[]>> = {
  context_management: ['context-management-2025-06-27', 'compact-2026-01-12'],
  compaction: ['compact-2026-09-04'],
  thread: ['message-threads-2026-08-12'],
  mcp_servers: ['mcp-client-'],
  fallbacks: ['fallback'],
  fallback_credit_token: ['fallback-credit-'],
  billing_policy: ['billing-policy'],
};

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

/** Block types that come with betas; their members are not checked. */
export const BETA_BLOCK_TYPES: ReadonlySet<string> = new Set([
  'mcp_tool_use',
  'mcp_tool_result',
  'mcp_tool_listing',
  'advisor_tool_result',
  'compaction',
  'fallback',
  'tool_addition',
  'tool_removal',
]);

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
