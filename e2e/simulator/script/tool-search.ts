import { sha256 } from '../ids.ts';
import { asObject, asObjects, asString, type JsonObject } from '../json.ts';
import type { Part, SearchStep, Turn } from './types.ts';

/** The parts of a search step. `search` is a regular expression without regard to case. */
export function searchParts({ search }: SearchStep, turn: Turn): Part[] {
  const tools = asObjects(turn.body.tools);
  const pattern = new RegExp(search, 'iu');
  const found = tools.filter(
    (tool) =>
      tool.defer_loading === true &&
      pattern.test(`${asString(tool.name) ?? ''} ${asString(tool.description) ?? ''}`),
  );
  const mark = sha256(`${turn.prompt}/${turn.round}/${search}`).slice(0, 24);
  const isSearch = (tool: JsonObject) => (asString(tool.type) ?? '').startsWith('tool_search');
  const offered = tools.find(isSearch);
  if (offered === undefined || offered.execution === 'client') return [];
  return turn.protocol === 'anthropic'
    ? messagesSearch(offered, found, mark, search)
    : itemsSearch(found, mark, search);
}

function messagesSearch(offered: JsonObject, found: JsonObject[], mark: string, search: string): Part[] {
  const id = `srvtoolu_${mark}`;
  const name = asString(offered.name) ?? 'tool_search_tool_regex';
  const input = name.endsWith('bm25') ? { query: search } : { pattern: search };
  const references = found.map((tool) => ({ type: 'tool_reference', tool_name: asString(tool.name) ?? '' }));
  const content = { type: 'tool_search_tool_search_result', tool_references: references };
  return [
    { kind: 'block', block: { type: 'server_tool_use', id, name, input } },
    { kind: 'block', block: { type: 'tool_search_tool_result', tool_use_id: id, content } },
  ];
}

function itemsSearch(found: JsonObject[], mark: string, search: string): Part[] {
  const shared = { call_id: null, execution: 'server', status: 'completed' };
  const tools = found.map(({ defer_loading: _deferred, ...tool }) => asObject(tool) ?? {});
  return [
    {
      kind: 'block',
      block: { type: 'tool_search_call', id: `tsc_${mark}`, ...shared, arguments: { query: search } },
    },
    { kind: 'block', block: { type: 'tool_search_output', id: `tso_${mark}`, ...shared, tools } },
  ];
}
