import { asObject, asObjects, asString, type Json, type JsonObject } from '../../json.ts';

/**
 * A Chat Completions body as the Responses body that says the same, for the parts that do not care which protocol it
 * is: the script's view of it, its tokens and its cache.
 */
export function asResponsesBody(body: JsonObject): JsonObject {
  const effort = asString(body.reasoning_effort);
  return {
    model: body.model,
    input: asObjects(body.messages).flatMap(itemsOf),
    tools: asObjects(body.tools).map(toolOf),
    ...(body.response_format === undefined ? {} : { text: { format: body.response_format } }),
    ...(effort === undefined ? {} : { reasoning: { effort } }),
    ...member(body, 'prompt_cache_key'),
    ...member(body, 'prompt_cache_options'),
    ...member(body, 'prompt_cache_retention'),
    ...member(body, 'service_tier'),
    store: false,
  };
}

function member(body: JsonObject, name: string): JsonObject {
  return (body[name] ?? null) === null ? {} : { [name]: body[name] };
}

function toolOf(tool: JsonObject): JsonObject {
  const inner = asObject(tool[asString(tool.type) ?? 'function']);
  return inner === undefined ? tool : { type: tool.type, ...inner };
}

function itemsOf(message: JsonObject): JsonObject[] {
  if (message.role === 'tool') {
    return [{ type: 'function_call_output', call_id: message.tool_call_id, output: textOf(message.content) }];
  }
  const isAssistant = message.role === 'assistant';
  const content = partsOf(message.content, isAssistant ? 'output_text' : 'input_text');
  const calls = asObjects(message.tool_calls).map((call) => {
    const { name, arguments: input } = asObject(call.function) ?? {};
    return { type: 'function_call', call_id: call.id, name, arguments: input };
  });
  const spoken = content.length === 0 ? [] : [{ type: 'message', role: message.role, content }];
  return [...spoken, ...calls];
}

function partsOf(content: Json | undefined, type: string): JsonObject[] {
  const text = asString(content);
  if (text !== undefined) return text === '' ? [] : [{ type, text }];
  return asObjects(content).map((part) =>
    part.type === 'image_url'
      ? { type: 'input_image', image_url: asObject(part.image_url)?.url }
      : { ...part, type },
  );
}

function textOf(content: Json | undefined): string {
  return (
    asString(content) ??
    asObjects(content)
      .map((part) => asString(part.text) ?? '')
      .join('\n')
  );
}
