import { asObject, asObjects, asString, type Json, type JsonObject } from '../json.ts';
import { type PlacedBlock, placedBlocks } from './blocks.ts';
import type { ValidityContext } from './context.ts';
import { type AnthropicError, codedError, invalidRequest } from './errors.ts';

/** The tool list, references to deferred tools, and tool changes in system messages. */
export function toolError(body: JsonObject, context: ValidityContext): AnthropicError | undefined {
  return toolListError(body, context) ?? referenceError(body, context);
}

function toolListError(body: JsonObject, { rules }: ValidityContext): AnthropicError | undefined {
  const tools = asObjects(body.tools);
  const seen = new Set<string>();
  const most = rules['anthropic.tool-name-64'] ? 64 : 128;
  const pattern = new RegExp(`^[a-zA-Z0-9_-]{1,${most}}$`);
  for (const [index, tool] of tools.entries()) {
    const name = asString(tool.name);
    if (name === undefined) continue;
    if (seen.has(name)) return invalidRequest('tools: Tool names must be unique.');
    seen.add(name);
    if (rules['anthropic.tool-name-pattern'] && !pattern.test(name)) {
      return invalidRequest(
        `tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,${most}}$'`,
      );
    }
    const isMarkedDeferred = tool.defer_loading === true && (tool.cache_control ?? null) !== null;
    if (isMarkedDeferred && rules['anthropic.mark-on-deferred-tool']) {
      return invalidRequest(`tools.${index}: cache_control cannot be used together with defer_loading`);
    }
  }
  if (tools.length > 0 && tools.every((tool) => tool.defer_loading === true)) {
    return invalidRequest('tools: At least one tool must have defer_loading=false.');
  }
  return undefined;
}

/** References name a tool of the list; a deferred tool is called only behind a reference to it. */
function referenceError(body: JsonObject, { rules }: ValidityContext): AnthropicError | undefined {
  const defined = new Set(asObjects(body.tools).map((tool) => asString(tool.name) ?? ''));
  const deferred = new Set(
    asObjects(body.tools)
      .filter((tool) => tool.defer_loading === true)
      .map((tool) => asString(tool.name) ?? ''),
  );
  const loaded = new Set<string>();
  for (const [index, message] of asObjects(body.messages).entries()) {
    for (const placed of placedBlocks(message, index)) {
      for (const { path, block } of toolReferences(placed)) {
        const name = asString(block.tool_name) ?? '';
        if (!defined.has(name)) {
          return invalidRequest(`${path}: Tool reference '${name}' not found in available tools`);
        }
        loaded.add(name);
      }
      const change = changeError(placed, defined);
      if (change !== undefined) return change;
      const called = placed.block.type === 'tool_use' ? (asString(placed.block.name) ?? '') : '';
      if (deferred.has(called) && !loaded.has(called) && rules['anthropic.deferred-call-needs-reference']) {
        return invalidRequest(
          `${placed.path}: tool '${called}' has defer_loading=true and was called before any \`tool_reference\` to it`,
        );
      }
      if (placed.block.type === 'tool_addition') loaded.add(changedName(placed.block));
    }
  }
  return undefined;
}

/** `tool_addition` and `tool_removal` name a tool that is defined at that place; a definition brings its own. */
function changeError(placed: PlacedBlock, defined: Set<string>): AnthropicError | undefined {
  const { path, block } = placed;
  if (block.type !== 'tool_addition' && block.type !== 'tool_removal') return undefined;
  const tool = asObject(block.tool);
  if (tool?.type === 'tool_definition') {
    const name = changedName(block);
    if (defined.has(name)) {
      return codedError('tool_name_conflict', `${path}: a tool named '${name}' is already available`);
    }
    defined.add(name);
    return undefined;
  }
  if (tool?.type !== 'tool_reference' || defined.has(changedName(block))) return undefined;
  const message = `${path}: tool '${changedName(block)}' is not defined at this position in the conversation`;
  return codedError('tool_reference_unresolved', message);
}

/** The name of the tool that a `tool_addition` or `tool_removal` block is about. */
export function changedName(block: JsonObject): string {
  const tool = asObject(block.tool);
  return asString(tool?.name) ?? asString(asObject(tool?.definition)?.name) ?? '';
}

/** The `tool_reference` blocks inside a block: in a tool's result or in a server's tool search result. */
export function toolReferences({ path, block }: PlacedBlock): PlacedBlock[] {
  if (block.type === 'tool_reference') return [{ path, block }];
  const inner =
    block.type === 'tool_search_tool_result' ? asObject(block.content)?.tool_references : block.content;
  const place = block.type === 'tool_search_tool_result' ? 'content.tool_references' : 'content';
  if (block.type !== 'tool_result' && block.type !== 'tool_search_tool_result') return [];
  return asObjects(inner).flatMap((part, at) =>
    part.type === 'tool_reference' ? [{ path: `${path}.${place}.${at}`, block: part }] : [],
  );
}

/**
 * A block as the model reads it: with the definitions of the deferred tools that it loads behind it. Other blocks are
 * given back as they are.
 */
export function withDefinitions(placed: PlacedBlock, tools: ReadonlyMap<string, JsonObject>): JsonObject {
  const found: Json[] = [];
  for (const { block } of toolReferences(placed)) {
    const tool = tools.get(asString(block.tool_name) ?? '');
    if (tool !== undefined) found.push(tool);
  }
  return found.length === 0 ? placed.block : { ...placed.block, definitions: found };
}

/** The deferred tools of a body by name. */
export function deferredTools(body: JsonObject): Map<string, JsonObject> {
  const deferred = asObjects(body.tools).filter((tool) => tool.defer_loading === true);
  return new Map(deferred.map((tool) => [asString(tool.name) ?? '', tool]));
}
