import { EditBook } from './edits.ts';
import { checkFields, checkToolList, readClient } from './fields.ts';
import { leanOf } from './lean.ts';
import { checkCompactedWindow, checkDeferred, checkGroups, checkLeftOut } from './openai/groups.ts';
import { KeptWalk } from './openai/kept.ts';
import { checkCallPairs, checkIds, checkReasoning, checkStored } from './openai/pairs.ts';
import { type Conversation, readConversation } from './openai/read.ts';
import { type EditedBody, judgedLean } from './request.ts';
import { skim } from './skim.ts';
import { type Finding, finding, firstOf, type Verdict } from './verdict.ts';

/**
 * Judges an edited body of the Responses API before it goes out: whether the provider takes it as far as our edits
 * decide that, whether every byte that no edit names is the client's, and whether it fits. Never throws, whatever
 * the bytes are; the same input gets the same verdict.
 *
 * A bare string as `input` can be kept but not edited. Empty texts and contents are refused in what is ours; the
 * provider takes them from a client.
 */
export function validateOpenai(body: EditedBody): Verdict {
  return judgedLean(body, leanOf(body, 'input'), judge);
}

function judge(body: EditedBody): Finding | null {
  const doc = skim(body.edited);
  if (doc === null || doc.kind(0) !== 'object')
    return finding('json', '', 'The body is not a JSON object in UTF-8.');
  const conversation = readConversation(doc);
  if ('rule' in conversation) return conversation;
  return firstOf([
    () => checkCallPairs(conversation),
    () => checkIds(conversation),
    () => checkReasoning(conversation),
    () => checkStored(conversation),
    () => checkEdits(conversation, body),
  ]);
}

function checkEdits(conversation: Conversation, body: EditedBody): Finding | null {
  const client = readClient(body.client, 'input');
  if ('rule' in client) return client;
  const book = new EditBook(body.edits, client.elements.length);
  const walk = new KeptWalk(conversation, client, book, body.ownTool);
  const { doc, tools } = conversation;
  return firstOf([
    () => book.fault,
    () => checkFields(doc, client, book, 'input'),
    () =>
      checkToolList(doc, client, book, body.ownTool, {
        nodes: client.tools === null ? [] : tools,
        slices: client.tools ?? [],
        item: null,
        where: '/tools',
      }),
    () => walk.check(),
    () => checkLeftOut(walk, book),
    () => checkGroups(walk, body.latestThinking),
    () => checkCompactedWindow(walk),
    () => checkDeferred(walk),
    () => book.unmet(),
  ]);
}
