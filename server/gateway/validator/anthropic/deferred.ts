import type { Skim, SkimNode } from '../skim.ts';
import { type Finding, finding, firstAmong } from '../verdict.ts';
import { type Conversation, isServerResult, type Part, whereIs } from './read.ts';

/**
 * Names of tools are their own, not all tools are deferred, a deferred one is referenced before it is called, and what
 * is referenced is there.
 */
export function checkTools({ doc, tools, messages }: Conversation): Finding | null {
  const names = new Set<string>();
  const deferred = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    const name = doc.stringMember(tool, 'name');
    if (name === null) continue;
    if (names.has(name)) return finding('tools', `/tools/${index}`, `Two tools have the name ${name}.`);
    names.add(name);
    if (doc.kind(doc.member(tool, 'defer_loading')) === 'true') deferred.add(name);
  }
  if (tools.length > 0 && deferred.size === tools.length)
    return finding('deferred-tool', '/tools', 'At least one tool must not be deferred.');
  return firstAmong(messages, (message) =>
    firstAmong(message.parts, (part) => {
      const change = changeOf(doc, part);
      if (change?.defines === true) names.add(change.name);
      const named = change === null ? referencesIn(doc, part) : [change.name];
      const missing = named.find((name) => !names.has(name));
      if (missing !== undefined)
        return finding('deferred-tool', whereIs(message, part), `The tool ${missing} is not there.`);
      for (const name of named) deferred.delete(name);
      const called = part.type === 'tool_use' ? doc.stringMember(part.node, 'name') : null;
      if (called === null || !deferred.has(called)) return null;
      return finding(
        'deferred-tool',
        whereIs(message, part),
        `The deferred tool ${called} is called before anything refers to it.`,
      );
    }),
  );
}

/** The tool that a part adds or removes, and whether it defines it; null: the part does neither. */
function changeOf(doc: Skim, part: Part): { readonly name: string; readonly defines: boolean } | null {
  if (part.type !== 'tool_addition' && part.type !== 'tool_removal') return null;
  const tool = doc.member(part.node, 'tool');
  const definition = doc.member(tool, 'definition');
  const name = doc.stringMember(tool, 'name') ?? doc.stringMember(definition, 'name');
  if (name === null) return null;
  return { name, defines: doc.stringMember(tool, 'type') !== 'tool_reference' };
}

/** Names of the tools that the results in a part refer to. */
export function referencesIn(doc: Skim, part: Part): readonly string[] {
  if (part.type !== 'tool_result' && !isServerResult(part)) return [];
  const content = doc.member(part.node, 'content');
  const isObject = doc.kind(content) === 'object';
  const listed: readonly SkimNode[] = doc.entries(
    isObject ? doc.member(content, 'tool_references') : content,
  );
  return listed.flatMap((node) =>
    doc.stringMember(node, 'type') === 'tool_reference' ? (doc.stringMember(node, 'tool_name') ?? []) : [],
  );
}
