import { describe, expect, test } from 'vitest';
import { readJson } from '../../conversation/index.ts';
import { spliceEvent } from '../hidden/splice-event.ts';
import { withoutOwnTool } from './own-tool.ts';

function told(tools: string): string {
  const body = Buffer.from(`{"id":"r", "tools": [${tools}], "output":[]}`);
  const root = readJson(body);
  if (root === null) throw new Error('no JSON');
  return spliceEvent(body, { root, at: 0 }, withoutOwnTool(root, 'ours')).toString();
}

describe('what a response tells of its request’s tools', () => {
  test('leaves out ours, wherever it stands, and keeps every other byte', () => {
    const read = '{"name": "Read"}';
    const ours = '{"name":"ours", "type":"function"}';
    const edit = '{"name":"Edit"}';
    expect(told(`${read}, ${ours}`)).toBe(`{"id":"r", "tools": [${read}], "output":[]}`);
    expect(told(`${ours}, ${read}`)).toBe(`{"id":"r", "tools": [${read}], "output":[]}`);
    expect(told(`${read},${ours} , ${edit}`)).toBe(`{"id":"r", "tools": [${read} , ${edit}], "output":[]}`);
    expect(told(ours)).toBe('{"id":"r", "tools": [], "output":[]}');
    expect(told(`${read} , ${edit}`)).toBe(`{"id":"r", "tools": [${read} , ${edit}], "output":[]}`);
  });
});
