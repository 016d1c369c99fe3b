import type { SkimNode } from '../skim.ts';
import { type Finding, finding } from '../verdict.ts';
import { type Conversation, whereIs } from './read.ts';
import { isEmptyText } from './roles.ts';

/** Cache marks that a request may have, a top-level one counted. */
const MOST_MARKS = 4;

interface Mark {
  readonly where: string;
  readonly ttl: '5m' | '1h';
}

/**
 * At most four cache marks, counted with a top-level one (automatic caching); none for an hour behind one for five
 * minutes, in the order tools, system, messages; none on thinking, on empty text, or on a deferred tool.
 */
export function checkMarks(conversation: Conversation): Finding | null {
  const { doc, messages, tools, system } = conversation;
  const marks: Mark[] = [];
  const take = (node: SkimNode, where: string): boolean => {
    const mark = doc.member(node, 'cache_control');
    if (mark === null || doc.kind(mark) !== 'object') return false;
    marks.push({ where, ttl: doc.stringMember(mark, 'ttl') === '1h' ? '1h' : '5m' });
    return true;
  };
  for (const [index, tool] of tools.entries()) {
    if (take(tool, `/tools/${index}`) && doc.kind(doc.member(tool, 'defer_loading')) === 'true')
      return misplaced(`/tools/${index}`, 'a deferred tool');
  }
  for (const [index, text] of system.entries()) {
    if (take(text, `/system/${index}`) && isEmptyText(doc, text))
      return misplaced(`/system/${index}`, 'an empty text');
  }
  for (const message of messages) {
    for (const part of message.parts) {
      if (part.index === null) continue;
      const where = whereIs(message, part);
      for (const [index, inner] of doc.entries(doc.member(part.node, 'content')).entries())
        take(inner, `${where}/content/${index}`);
      if (!take(part.node, where)) continue;
      if (part.type === 'thinking' || part.type === 'redacted_thinking') return misplaced(where, 'thinking');
      if (isEmptyText(doc, part.node)) return misplaced(where, 'an empty text');
    }
  }
  return checkOrder(marks, conversation);
}

function checkOrder(marks: Mark[], { doc, messages }: Conversation): Finding | null {
  const automatic = doc.member(0, 'cache_control');
  if (doc.kind(automatic) === 'object') {
    const ttl = doc.stringMember(automatic, 'ttl') === '1h' ? '1h' : '5m';
    const message = messages.at(-1);
    const part = message?.parts.at(-1);
    const last = marks.at(-1);
    if (
      message !== undefined &&
      part !== undefined &&
      last?.where === whereIs(message, part) &&
      last.ttl !== ttl
    )
      return finding(
        'cache-marks',
        '/cache_control',
        'The automatic cache mark and the mark on the last part have different lifetimes.',
      );
    marks.push({ where: '/cache_control', ttl });
  }
  const fifth = marks[MOST_MARKS];
  if (fifth !== undefined)
    return finding('cache-marks', fifth.where, `There are ${marks.length} cache marks; four are allowed.`);
  const short = marks.findIndex((mark) => mark.ttl === '5m');
  const late = short < 0 ? undefined : marks.find((mark, index) => index > short && mark.ttl === '1h');
  if (late === undefined) return null;
  return finding(
    'cache-marks',
    late.where,
    'A cache mark for an hour must not stand behind one for five minutes.',
  );
}

function misplaced(where: string, on: string): Finding {
  return finding('cache-marks', where, `A cache mark must not stand on ${on}.`);
}
