import type { Canaries } from '../../db/testing-traces.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** A request of Claude Code's with a secret in every field that it may have. */
export function claudeRequest(secret: Canaries): object {
  const at = (place: string) => secret.at(`claude ${place}`);
  return {
    model: `claude-${at('model')}`,
    max_tokens: 100,
    metadata: { user_id: JSON.stringify({ session_id: at('session in body'), account: at('metadata') }) },
    system: [
      { type: 'text', text: `x-anthropic-billing-header: cc_version=2.1.197 ${at('attribution')}` },
      { type: 'text', text: `Secret ${at('system')}\n - Primary working directory: /home/${at('folder')}/x` },
      { type: 'text', text: `Current branch: feature/${at('branch')}` },
    ],
    tools: [
      {
        name: at('tool definition'),
        description: at('tool description'),
        input_schema: { type: 'object', properties: { [at('tool property')]: { type: 'string' } } },
      },
    ],
    [at('unknown field name')]: at('unknown field'),
    messages: [
      { role: 'user', content: `Use ${at('title')} to log in` },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: `it is ${at('thinking')}`, signature: 'c2ln' },
          { type: 'text', text: `I use ${at('answer')}` },
          {
            type: 'tool_use',
            id: at('call id'),
            name: at('tool name'),
            input: { command: `curl -H ${at('main input')}`, [at('input key')]: 1, file_path: at('path') },
          },
          { type: 'mcp_tool_use', id: 'toolu_2', name: 'x', server_name: at('namespace'), input: {} },
          { type: 'server_tool_use', id: 'toolu_3', name: 'web_search', input: { query: at('query') } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_2',
            content: [
              { type: 'text', text: at('result') },
              { type: 'image', source: { type: 'base64', media_type: at('mime'), data: base64('png') } },
              { type: 'image', source: { type: 'url', url: `https://x.example/?t=${at('image url')}` } },
            ],
          },
          {
            type: 'document',
            title: at('document title'),
            source: { type: 'base64', media_type: 'text/plain', data: base64(`k=${at('document')}`) },
          },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: at('text document') } },
          { type: 'document', source: { type: 'url', url: `https://x.example/${at('document url')}` } },
          {
            type: 'document',
            source: {
              type: 'base64',
              media_type: 'application/json; charset=utf-8',
              data: base64(`{"k":"${at('json document')}"}`),
            },
          },
          {
            type: 'image',
            source: { type: 'base64', media_type: 'image/svg+xml', data: base64(`<svg>${at('svg')}</svg>`) },
          },
          { type: 'made_up', [at('unknown key')]: { deep: [at('unknown part')] } },
          {
            type: 'text',
            text: `Line one\n${at('second text')}`,
            citations: [{ cited_text: at('citation') }],
          },
        ],
      },
      { role: at('role'), content: at('odd role') },
      at('bare message'),
    ],
  };
}

/** The same of Codex. */
export function codexRequest(secret: Canaries): object {
  const at = (place: string) => secret.at(`codex ${place}`);
  const text = (words: string) => [{ type: 'input_text', text: words }];
  return {
    model: at('model'),
    instructions: at('instructions'),
    prompt_cache_key: at('cache key'),
    previous_response_id: at('previous'),
    client_metadata: { other: at('client metadata') },
    tools: [{ type: 'function', name: 'x', description: at('tool'), parameters: {} }],
    input: [
      {
        type: 'message',
        role: 'user',
        content: text(`<environment_context>\n<cwd>/home/${at('cwd')}</cwd>\n</environment_context>`),
      },
      { type: 'message', role: 'developer', content: text(at('developer')) },
      { type: 'message', role: 'user', content: text(at('title')) },
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: at('summary') }] },
      {
        type: 'function_call',
        call_id: at('call'),
        name: at('function'),
        namespace: at('namespace'),
        arguments: JSON.stringify({ command: ['bash', '-lc', `echo ${at('argument')}`] }),
      },
      {
        type: 'function_call',
        call_id: 'c2',
        name: 'shell',
        arguments: `{"cmd": "${at('broken arguments')}`,
      },
      { type: 'function_call_output', call_id: 'c2', output: at('output') },
      { type: 'custom_tool_call', call_id: 'c3', name: 'apply_patch', input: `+KEY: ${at('custom input')}` },
      {
        type: 'custom_tool_call_output',
        call_id: 'c3',
        output: [
          { type: 'input_text', text: at('output part') },
          { type: 'input_image', image_url: `data:text/plain;base64,${base64(at('image as text'))}` },
          { type: 'input_image', image_url: `data:text/plain,${at('image as address')}` },
          {
            type: 'input_file',
            filename: at('file name'),
            file_data: `data:text/csv;base64,${base64(`a,${at('file')}`)}`,
          },
        ],
      },
      { type: 'local_shell_call', call_id: 'c4', action: { type: 'exec', command: ['echo', at('shell')] } },
      { type: 'web_search_call', id: 'w', action: { type: 'search', query: at('search') } },
      { type: 'made_up', [at('key')]: at('value') },
    ],
  };
}
