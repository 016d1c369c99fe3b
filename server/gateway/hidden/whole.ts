import { itemsOf, type JsonNode, member, readJson } from '../../conversation/index.ts';
import { type EventSplice, spliceEvent } from './splice-event.ts';
import {
  type AnswerHead,
  type HiddenCall,
  type HiddenRound,
  type HiddenWhole,
  NOTHING_CAME,
} from './types.ts';

/** How a protocol's whole answers are read. */
export interface WholeShape {
  /** The member that lists the parts of an answer. */
  readonly list: 'content' | 'output';
  readonly isReasoning: (part: JsonNode) => boolean;
  /** Our call in a part; null: it is none. */
  readonly ourCall: (part: JsonNode, json: string) => HiddenCall | null;
  /** A call that the client answers. */
  readonly isClientCall: (part: JsonNode) => boolean;
  /** The answer ended where a call goes on. */
  readonly goesOn: (answer: JsonNode) => boolean;
  /** What takes out of an answer what tells of our tool beside its calls. */
  readonly traces: (answer: JsonNode) => readonly EventSplice[];
  /** What the provider says of it beside its content. */
  readonly head: (answer: JsonNode, body: Buffer) => AnswerHead;
}

/** Joins whole answers into the one that the client gets: the last one's own, with the first one's id and all visible parts. */
export function joinWholes(shape: WholeShape): HiddenWhole {
  const visible: string[] = [];
  let reasoning = 0;
  let position = 0;
  let id: string | null = null;

  function take(body: Buffer): { readonly round: HiddenRound; readonly client: Buffer } {
    const answer = readJson(body);
    const listed = answer === null ? undefined : member(answer, shape.list);
    if (answer === null || listed === undefined) return { round: NOTHING_CAME, client: body };
    const calls: HiddenCall[] = [];
    const parts: string[] = [];
    let clients = 0;
    for (const part of itemsOf(listed)) {
      const json = body.toString('utf8', part.start, part.end);
      const call = shape.ourCall(part, json);
      parts.push(json);
      if (call !== null) {
        calls.push(call);
        continue;
      }
      visible.push(json);
      if (shape.isReasoning(part)) reasoning += 1;
      else position += 1;
      if (shape.isClientCall(part)) clients += 1;
    }
    const asks = calls.length > 0 && shape.goesOn(answer);
    const outcome = !asks ? 'whole' : clients > 0 ? 'mixed' : 'continue';
    return {
      round: { ...shape.head(answer, body), outcome, calls, parts, reasoning, position },
      client: clientBody(body, answer, listed, calls.length),
    };
  }

  function clientBody(body: Buffer, answer: JsonNode, listed: JsonNode, hidden: number): Buffer {
    const named = member(answer, 'id');
    const own = named === undefined ? null : body.toString('utf8', named.start, named.end);
    id ??= own;
    const list = `[${visible.join(',')}]`;
    const isFirst = id === own && hidden === 0 && itemsOf(listed).length === visible.length;
    return spliceEvent(body, { root: answer, at: 0 }, [
      ...shape.traces(answer),
      ...(isFirst ? [] : [{ node: listed, json: list }]),
      ...(isFirst || id === null ? [] : [{ node: named, json: id }]),
    ]);
  }

  return { take };
}
