import type { DocId } from '../../conversation/index.ts';
import { readJson, stringMember } from '../../conversation/index.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { RETRIEVAL_TOOL } from '../../recall/index.ts';
import type { HiddenAnswer, HiddenPlace, MixedRound, VisiblePart } from '../hidden/answers.ts';
import type { AnsweredCall, AnsweredRound, AnswerSoFar, RecordDraft } from '../hidden/rounds.ts';
import type { Edit as NamedEdit } from '../validator/index.ts';
import { assistantParts } from './put-back.ts';

/** A hidden round as it is sent: the model's message with our calls in their places, then our results. */
interface SentRound {
  readonly messages: readonly [assistant: string, user: string];
  /** Positions of our calls in the first. */
  readonly ours: readonly number[];
}

interface Fields {
  readonly id: Uuid;
  readonly chain: string;
  /** JSON texts of the parts that the client has, and what tells them again; blank texts left out. */
  readonly visible: readonly string[];
  readonly parts: readonly VisiblePart[];
  readonly rounds: readonly SentRound[];
  readonly places: readonly HiddenPlace[];
  readonly mixed: MixedRound | null;
  readonly documents: readonly DocId[];
}

/**
 * An answer of the Messages API with nothing in it yet.
 * @param id of the record that is kept of it
 * @param chain the chain of the assistant's messages before it, in the client's view
 */
export function messagesAnswer(id: Uuid, chain: string): AnswerSoFar {
  return new MessagesAnswer({
    id,
    chain,
    visible: [],
    parts: [],
    rounds: [],
    places: [],
    mixed: null,
    documents: [],
  });
}

class MessagesAnswer implements AnswerSoFar {
  readonly #fields: Fields;

  constructor(fields: Fields) {
    this.#fields = fields;
  }

  get sent(): readonly string[] {
    return this.#fields.rounds.flatMap((round) => round.messages);
  }

  get echoed(): readonly string[] {
    const { visible } = this.#fields;
    return visible.length === 0 ? [] : [assistantMessage(visible)];
  }

  named(base: number): readonly NamedEdit[] {
    return this.#fields.rounds.flatMap(({ ours }, index): NamedEdit[] => [
      ...ours.map((part) => ({ kind: 'hidden-round' as const, element: base + 2 * index, part })),
      { kind: 'hidden-round', element: base + 2 * index + 1 },
    ]);
  }

  withRound({ parts, calls, mixed }: AnsweredRound): AnswerSoFar | null {
    const content: string[] = [];
    const ours: number[] = [];
    for (const json of parts.filter((part) => !isBlank(part))) {
      if (isOurs(json)) ours.push(content.length);
      content.push(isOurs(json) ? callJson(calls[ours.length - 1]) : json);
    }
    if (ours.length !== calls.length || calls.length === 0) return null;
    const results = calls.map(resultJson);
    const message = assistantMessage(content);
    const after = this.#delivered(parts);
    const documents = [...after.documents, ...calls.flatMap((call) => call.documents)];
    if (mixed) return new MessagesAnswer({ ...after, documents, mixed: { message, results } });
    const messages = [message, `{"role":"user","content":[${results.join(',')}]}`] as const;
    const reasoning = after.parts.filter((part) => part.isReasoning).length;
    return new MessagesAnswer({
      ...after,
      documents,
      rounds: [...after.rounds, { messages, ours }],
      places: [...after.places, { reasoning, position: after.parts.length - reasoning, sent: messages }],
    });
  }

  withEnd(parts: readonly string[]): AnswerSoFar {
    return new MessagesAnswer(this.#delivered(parts));
  }

  records(open: boolean): readonly RecordDraft[] {
    const { id, chain, parts, places, mixed, documents } = this.#fields;
    if (places.length === 0 && mixed === null) return [];
    const data: HiddenAnswer = { id, chain, open, parts, places, mixed };
    return [{ id, anchors: [chain], documents: [...new Set(documents)], data }];
  }

  #delivered(parts: readonly string[]): Fields {
    const visible = [...this.#fields.visible, ...parts.filter((part) => !isOurs(part) && !isBlank(part))];
    const read = assistantParts(Buffer.from(assistantMessage(visible))) ?? [];
    const told = read.map(({ fingerprint, isReasoning }) => ({ fingerprint, isReasoning }));
    return { ...this.#fields, visible, parts: told };
  }
}

function assistantMessage(parts: readonly string[]): string {
  return `{"role":"assistant","content":[${parts.join(',')}]}`;
}

function isOurs(json: string): boolean {
  if (!json.includes(RETRIEVAL_TOOL)) return false;
  const node = readJson(Buffer.from(json)) ?? undefined;
  return stringMember(node, 'type') === 'tool_use' && stringMember(node, 'name') === RETRIEVAL_TOOL;
}

/** A text of nothing but blanks: agents leave it out when they send the answer again, and the provider refuses it. */
function isBlank(json: string): boolean {
  const node = readJson(Buffer.from(json)) ?? undefined;
  return stringMember(node, 'type') === 'text' && (stringMember(node, 'text') ?? '').trim() === '';
}

/** Our call as it is sent on. The API takes an object alone as its input. */
function callJson(call: AnsweredCall | undefined): string {
  const input =
    call !== undefined && readJson(Buffer.from(call.input))?.type === 'object' ? call.input : '{}';
  return `{"type":"tool_use","id":${JSON.stringify(call?.id ?? '')},"name":${JSON.stringify(RETRIEVAL_TOOL)},"input":${input}}`;
}

function resultJson({ id, result }: AnsweredCall): string {
  return `{"type":"tool_result","tool_use_id":${JSON.stringify(id)},"content":${result}}`;
}
