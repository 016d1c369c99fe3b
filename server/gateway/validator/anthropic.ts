import { checkTools, referencesIn } from './anthropic/deferred.ts';
import { clientMessage, KeptWalk } from './anthropic/kept.ts';
import { checkMarks } from './anthropic/marks.ts';
import { checkServerPairs, checkToolPairs } from './anthropic/pairs.ts';
import { type Conversation, type Message, opensTurn, readConversation } from './anthropic/read.ts';
import { checkCompactions, checkRoles, checkSystemMessages, checkTexts } from './anthropic/roles.ts';
import { ThinkingTrail } from './anthropic/thinking.ts';
import { EditBook } from './edits.ts';
import { type ClientBody, checkFields, checkToolList, readClient } from './fields.ts';
import { leanOf } from './lean.ts';
import { type EditedBody, judgedLean } from './request.ts';
import { type Skim, skim } from './skim.ts';
import { type Finding, finding, firstAmong, firstOf, type Verdict } from './verdict.ts';

/**
 * Judges an edited body of the Messages API before it goes out: whether the provider takes it as far as our edits
 * decide that, whether every byte that no edit names is the client's, and whether it fits. Never throws, whatever
 * the bytes are; the same input gets the same verdict.
 *
 * Rules about fields that no edit touches (models, sampling, forced tools, a prefilled answer, betas) are the
 * provider's alone: what breaks them is the client's own request.
 */
export function validateAnthropic(body: EditedBody): Verdict {
  return judgedLean(body, leanOf(body, 'messages'), judge);
}

function judge(body: EditedBody): Finding | null {
  const doc = skim(body.edited);
  if (doc === null || doc.kind(0) !== 'object')
    return finding('json', '', 'The body is not a JSON object in UTF-8.');
  const conversation = readConversation(doc);
  if ('rule' in conversation) return conversation;
  return firstOf([
    () => checkRoles(conversation),
    () => checkTexts(conversation),
    () => checkSystemMessages(conversation),
    () => checkToolPairs(conversation),
    () => checkServerPairs(conversation),
    () => checkCompactions(conversation),
    () => checkMarks(conversation),
    () => checkTools(conversation),
    () => checkEdits(conversation, body),
  ]);
}

function checkEdits(conversation: Conversation, body: EditedBody): Finding | null {
  const client = readClient(body.client, 'messages');
  if ('rule' in client) return client;
  const book = new EditBook(body.edits, client.elements.length);
  const trail = new ThinkingTrail();
  const { doc, tools } = conversation;
  return firstOf([
    () => book.fault,
    () => checkFields(doc, client, book, 'messages'),
    () =>
      checkToolList(doc, client, book, body.ownTool, {
        nodes: client.tools === null ? [] : tools,
        slices: client.tools ?? [],
        item: null,
        where: '/tools',
      }),
    () => new KeptWalk(conversation, client, book, trail, body.ownTool).check(),
    () => trail.check(body.latestThinking),
    () => checkLast(conversation, client),
    () => checkOwnSystem(conversation, client, body),
    () => checkLeftOutTurns(client, book),
    () => checkLeftOutMessages(client, book),
    () => book.unmet(),
  ]);
}

/** The edited conversation ends with an answer only where the client's does: newer models take no prefilled one. */
function checkLast({ messages }: Conversation, client: ClientBody): Finding | null {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return null;
  const before = clientMessage(client, client.elements.length - 1);
  if (before?.message.role === 'assistant') return null;
  return finding('last-message', `/messages/${last.index}`, 'Our edits make an answer the last message.');
}

/** A system message of ours stands only in a conversation in which the client has one: not every model takes them. */
function checkOwnSystem(
  { messages }: Conversation,
  client: ClientBody,
  { edits }: EditedBody,
): Finding | null {
  const own = edits.flatMap((edit) =>
    (edit.kind === 'head-message' || edit.kind === 'stub') && edit.part === undefined ? edit.element : [],
  );
  const first = own.find((element) => messages[element]?.role === 'system');
  if (first === undefined) return null;
  const knows = client.elements.some((_, index) => clientMessage(client, index)?.message.role === 'system');
  return knows
    ? null
    : finding('addition', `/messages/${first}`, 'The client sends no system messages to this model.');
}

/** Turns are left out whole: from one typed message to before another, or to the end. */
function checkLeftOutTurns(client: ClientBody, book: EditBook): Finding | null {
  const opens = (index: number) => {
    const read = clientMessage(client, index);
    return read !== null && opensTurn(read.message);
  };
  return firstAmong(book.ranges('left-out-turn'), ({ from, to, edit }) => {
    const whole = opens(from) && (to >= client.elements.length || opens(to));
    return whole ? null : finding('edits', `edits/${edit}`, 'A turn is left out whole, or not at all.');
  });
}

/** Parts that change tools or configuration, or hold a compacted past: a layout never puts them out of view. */
const STAYING = new Set(['tool_addition', 'tool_removal', 'mcp_tool_listing', 'compaction']);

function checkLeftOutMessages(client: ClientBody, book: EditBook): Finding | null {
  for (let index = 0; index < client.elements.length; index++) {
    const isOut = book.isLeftOut(index) && !book.isTurnLeftOut(index);
    if (!isOut && !book.hasPartsLeftOut(index)) continue;
    const where = `client:/messages/${index}`;
    const read = clientMessage(client, index);
    if (read === null) return finding('edits', where, 'What is left out cannot be read.');
    const stays = staying(read.doc, read.message, (part) => isOut || book.isPartLeftOut(index, part));
    if (stays !== null) return finding('edits', where, `A ${stays} is never left out by a layout.`);
  }
  return null;
}

function staying(doc: Skim, message: Message, isOut: (part: number) => boolean): string | null {
  for (const [index, part] of message.parts.entries()) {
    if (!isOut(index)) continue;
    if (STAYING.has(part.type)) return part.type;
    if (referencesIn(doc, part).length > 0) return 'reference to a deferred tool';
  }
  return null;
}
