import type { Skim } from '../skim.ts';
import { type Finding, finding, firstAmong } from '../verdict.ts';
import { type Conversation, isServerResult, type Part, whereIs } from './read.ts';

/** Names of tools are their own, not all tools are deferred, and a deferred one is referenced before it is called. */
export function checkTools({ doc, tools, messages }: Conversation): Finding | null {
  const names = new Set<string>();
  const deferred = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    const name = doc.stringMember(tool, 'name');
    const isDeferred = doc.kind(doc.member(tool, 'defer_loading')) === 'true';
    if (name === null) continue;
    if (names.has(name)) return finding('tools', `/tools/${index}`, `Two tools have the name ${name}.`);
    names.add(name);
    if (isDeferred) deferred.add(name);
  }
  if (tools.length > 0 && deferred.size === tools.length)
    return finding('deferred-tool', '/tools', 'At least one tool must not be deferred.');
  if (deferred.size === 0) return null;
  return firstAmong(messages, (message) =>
    firstAmong(message.parts, (part) => {
      for (const name of referencesIn(doc, part)) deferred.delete(name);
      const name = part.type === 'tool_use' ? doc.stringMember(part.node, 'name') : null;
      if (name === null || !deferred.has(name)) return null;
      return finding(
        'deferred-tool',
        whereIs(message, part),
        `The deferred tool ${name} is called before anything refers to it.`,
      );
    }),
  );
}

/** Names of the tools that a part brings into view: by references in results, or as an addition. */
export function referencesIn(doc: Skim, part: Part): readonly string[] {
  if (part.type === 'tool_addition') {
    const tool = doc.member(part.node, 'tool');
    return [part.node, tool].flatMap(
      (node) => doc.stringMember(node, 'tool_name') ?? doc.stringMember(node, 'name') ?? [],
    );
  }
  if (part.type !== 'tool_result' && !isServerResult(part)) return [];
  const content = doc.member(part.node, 'content');
  const listed =
    doc.kind(content) === 'object'
      ? doc.entries(doc.member(content, 'tool_references'))
      : doc.entries(content);
  return listed.flatMap((node) =>
    doc.stringMember(node, 'type') === 'tool_reference' ? (doc.stringMember(node, 'tool_name') ?? []) : [],
  );
}
