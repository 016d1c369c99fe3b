import { asObject, asObjects, asString, type JsonObject } from '../json.ts';
import { placedBlocks } from './blocks.ts';
import type { ValidityContext } from './context.ts';
import { type AnthropicError, extraInput, invalidRequest } from './errors.ts';
import { BODY_FIELDS } from './fields.ts';

/**
 * Members of the body that need a beta header, with the starts of the header values that open them. Where the exact
 * value is not known, a start is enough.
 */
const BODY_BETAS: Readonly<Record<string, readonly string[]>> = {
  context_management: ['context-management-2025-06-27', 'compact-2026-01-12'],
  compaction: ['compact-2026-09-04'],
  thread: ['message-threads-2026-08-12'],
  mcp_servers: ['mcp-client-'],
  fallbacks: ['server-side-fallback-'],
  fallback_credit_token: ['fallback-credit-'],
  billing_policy: ['user-profiles-billing-'],
  output_format: ['structured-outputs-'],
};

/** Block types that come with betas; their members are not checked. */
export const BLOCK_BETAS: Readonly<Record<string, readonly string[]>> = {
  mcp_tool_use: ['mcp-client-'],
  mcp_tool_result: ['mcp-client-'],
  mcp_tool_listing: ['mcp-client-'],
  advisor_tool_result: ['advisor-tool-'],
  compaction: ['compact-'],
  fallback: ['server-side-fallback-'],
  tool_addition: ['mid-conversation-tool-changes-'],
  tool_removal: ['mid-conversation-tool-changes-'],
};

const EDIT_BETAS: Readonly<Record<string, readonly string[]>> = {
  clear_tool_uses_20250919: ['context-management-2025-06-27'],
  clear_thinking_20251015: ['context-management-2025-06-27'],
  compact_20260112: ['compact-2026-01-12'],
};

/** Starts of the header values that are known, for the switch that refuses others. */
const KNOWN_STARTS =
  'advanced-tool-use- advisor-tool- cache-diagnosis- claude-code- code-execution- compact- computer-use- context-1m- context-management- dev-full-thinking- effort- extended-cache-ttl- fallback-credit- fast-mode- files-api- fine-grained-tool-streaming- inline-tools- interleaved-thinking- mcp-client- message-batches- message-threads- mid-conversation- model-context-window-exceeded- output-128k- output-300k- pdfs- prompt-caching- server-side-fallback- skills- structured-outputs- task-budgets- thinking-binding-controls- thinking-display-updates- thinking-token-count- token-counting- token-efficient-tools- tool-search- user-profiles- web-fetch-'.split(
    ' ',
  );

/** True when a header value with one of those starts was sent. */
function hasBeta(betas: ReadonlySet<string>, starts: readonly string[]): boolean {
  return [...betas].some((beta) => starts.some((start) => beta.startsWith(start)));
}

/** Unknown header values, unknown members of the body, and members and blocks whose header is missing. */
export function betaError(body: JsonObject, context: ValidityContext): AnthropicError | undefined {
  return (
    unknownBeta(context) ??
    bodyField(body, context) ??
    editBeta(body, context) ??
    nestedField(body, context) ??
    messageBeta(body, context)
  );
}

function unknownBeta({ betas, rules }: ValidityContext): AnthropicError | undefined {
  if (!rules['anthropic.unknown-beta']) return undefined;
  const unknown = [...betas].filter((beta) => !KNOWN_STARTS.some((start) => beta.startsWith(start)));
  if (unknown.length === 0) return undefined;
  const values = unknown.map((beta) => `\`${beta}\``).join(', ');
  return invalidRequest(
    `Unexpected value(s) ${values} for the \`anthropic-beta\` header. Please consult our documentation at docs.anthropic.com or try again without the header.`,
  );
}

function bodyField(body: JsonObject, { betas }: ValidityContext): AnthropicError | undefined {
  for (const key of Object.keys(body)) {
    if (BODY_FIELDS.has(key)) continue;
    const starts = BODY_BETAS[key];
    if (starts === undefined || !hasBeta(betas, starts)) return extraInput(key);
  }
  return undefined;
}

function editBeta(body: JsonObject, { betas }: ValidityContext): AnthropicError | undefined {
  for (const [index, edit] of asObjects(asObject(body.context_management)?.edits).entries()) {
    const type = asString(edit.type) ?? '';
    const starts = EDIT_BETAS[type];
    if (starts !== undefined && hasBeta(betas, starts)) continue;
    const tags = Object.keys(EDIT_BETAS).filter((tag) => hasBeta(betas, EDIT_BETAS[tag] ?? []));
    return invalidRequest(
      `context_management.edits.${index}: Input tag '${type}' found using 'type' does not match any of the expected tags: ${tags.map((tag) => `'${tag}'`).join(', ')}`,
    );
  }
  return undefined;
}

function nestedField(body: JsonObject, { betas }: ValidityContext): AnthropicError | undefined {
  const thinking = asObject(body.thinking);
  const type = asString(thinking?.type) ?? '';
  if (
    (thinking?.block_binding ?? null) !== null &&
    !hasBeta(betas, ['thinking-binding-controls-2026-08-01'])
  ) {
    return extraInput(`thinking.${type}.block_binding`);
  }
  if (thinking?.display === 'updates' && !hasBeta(betas, ['thinking-display-updates-'])) {
    return invalidRequest(`thinking.${type}.display: Input should be 'summarized' or 'omitted'`);
  }
  if ((asObject(body.output_config)?.task_budget ?? null) !== null && !hasBeta(betas, ['task-budgets-'])) {
    return extraInput('output_config.task_budget');
  }
  const isScoped = (block: JsonObject) => asObject(block.cache_control)?.scope !== undefined;
  const at = asObjects(body.system).findIndex(isScoped);
  const isToolScoped = asObjects(body.tools).findIndex(isScoped);
  if (at < 0 && isToolScoped < 0) return undefined;
  if (hasBeta(betas, ['prompt-caching-scope-'])) return undefined;
  const path = at >= 0 ? `system.${at}` : `tools.${isToolScoped}`;
  return extraInput(`${path}.cache_control.ephemeral.scope`);
}

function messageBeta(body: JsonObject, { betas, rules }: ValidityContext): AnthropicError | undefined {
  for (const [index, message] of asObjects(body.messages).entries()) {
    const isSystem = message.role === 'system';
    if ((message.clear_at ?? null) !== null) {
      if (!isSystem || !hasBeta(betas, ['mid-conversation-system-clear-at-']))
        return extraInput(`messages.${index}.clear_at`);
    }
    if ((message.output_config ?? null) !== null) {
      if (!isSystem || !hasBeta(betas, ['mid-conversation-output-config-']))
        return extraInput(`messages.${index}.output_config`);
    }
    if (!rules['anthropic.beta-blocks-need-header']) continue;
    for (const { path, block } of placedBlocks(message, index)) {
      const type = asString(block.type) ?? '';
      const starts = BLOCK_BETAS[type];
      if (starts !== undefined && !hasBeta(betas, starts)) {
        return invalidRequest(
          `${path}: Input tag '${type}' found using 'type' does not match any of the expected tags of this request. It needs the beta header ${starts[0] ?? ''}….`,
        );
      }
    }
  }
  return undefined;
}
