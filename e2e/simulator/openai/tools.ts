import { asObjects, asString, type JsonObject } from '../json.ts';
import type { Rules } from '../rules.ts';
import { invalidInput, type OpenAiError } from './errors.ts';

/** Tools that come in items, and calls of tools that were not loaded. */
export function toolItemError(
  body: JsonObject,
  items: readonly JsonObject[],
  rules: Rules,
): OpenAiError | undefined {
  const deferred = new Set(
    flat(asObjects(body.tools)).flatMap((tool) => (isDeferred(tool) ? nameOf(tool) : [])),
  );
  for (const [index, item] of items.entries()) {
    if (item.type === 'additional_tools') {
      if (item.role !== 'developer') {
        return invalidInput(
          `Invalid value: '${asString(item.role) ?? ''}'. Supported values are: 'developer'.`,
          `input[${index}].role`,
          'invalid_value',
        );
      }
      if (!Array.isArray(item.tools)) return missing(`input[${index}].tools`);
    }
    if (item.type === 'tool_search_output' && !Array.isArray(item.tools))
      return missing(`input[${index}].tools`);
    if (item.type === 'tool_search_output' || item.type === 'additional_tools') {
      for (const tool of flat(asObjects(item.tools))) deferred.delete(nameOf(tool));
    }
    const name = asString(item.name) ?? '';
    if (item.type !== 'function_call' || !deferred.has(name)) continue;
    if (!rules['openai.deferred-call-needs-output']) continue;
    return invalidInput(
      `Function '${name}' has defer_loading and was called before a tool search loaded it.`,
      `input[${index}]`,
    );
  }
  return undefined;
}

function missing(param: string): OpenAiError {
  return invalidInput(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter');
}

function isDeferred(tool: JsonObject): boolean {
  return tool.defer_loading === true;
}

function nameOf(tool: JsonObject): string {
  return asString(tool.name) ?? '';
}

/** The tools of a list and of its namespaces; a deferred namespace defers what it holds. */
function flat(tools: readonly JsonObject[]): JsonObject[] {
  return tools.flatMap((tool) =>
    tool.type === 'namespace'
      ? asObjects(tool.tools).map((inner) => (isDeferred(tool) ? { ...inner, defer_loading: true } : inner))
      : [tool],
  );
}

/** Tools that the model sees from the start: deferred ones are left out. */
export function visibleTools(body: JsonObject): JsonObject[] {
  return asObjects(body.tools).flatMap((tool) => {
    if (isDeferred(tool)) return [];
    if (tool.type !== 'namespace') return [tool];
    return [{ ...tool, tools: asObjects(tool.tools).filter((inner) => !isDeferred(inner)) }];
  });
}
