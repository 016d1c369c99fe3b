import { itemsOf, type JsonNode, member, numberMember, stringMember } from '../../conversation/index.ts';
import { plainMembers } from '../hidden/plain-members.ts';
import { type EventData, type EventSplice, eventData, spliceEvent } from '../hidden/splice-event.ts';
import { EventSplitter } from '../hidden/split-events.ts';
import type { AnswerHead, HiddenCall, HiddenRound, HiddenStream } from '../hidden/types.ts';
import { answerHead, HEAD_MEMBERS } from './answer-head.ts';
import { withoutOwnTool } from './own-tool.ts';

/** An item of the upstream answer under way. */
interface OpenItem {
  /** Number that the client knows it by; null: it is hidden. */
  readonly delivered: number | null;
  readonly call: 'ours' | 'client' | null;
  /** Its JSON text once it is done. */
  json: string | null;
  id: string;
  input: string;
}

/** Events that begin an answer: the client has had them from the first. */
const BEGINNINGS: ReadonlySet<string> = new Set([
  'response.created',
  'response.queued',
  'response.in_progress',
]);
/** Events that end one. */
const ENDINGS: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
]);
/** Calls that the client answers itself, by type. */
export const CLIENT_CALLS: ReadonlySet<string> = new Set([
  'function_call',
  'custom_tool_call',
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
  'computer_call',
]);

/**
 * The hidden loop's view of Responses streams: one beginning, dense `sequence_number` and `output_index`, the first
 * answer's id, one end whose `output` lists what the client saw. The end is the last answer's own, with its usage alone.
 * @param tool name of our tool
 */
export function hiddenResponses(tool: string): HiddenStream {
  return new ResponseJoin(tool);
}

class ResponseJoin implements HiddenStream {
  readonly #tool: string;
  #splitter = new EventSplitter();
  #sequence = 0;
  #delivered = 0;
  #position = 0;
  #responseId: string | null = null;
  /** An answer before the one under way went on with it. */
  #joined = false;
  /** JSON texts of the items that the client has of earlier answers. */
  #before: string[] = [];
  #items = new Map<number, OpenItem>();
  /** JSON text of the response as the client had it first, and whether its events are numbered. */
  #begun: { readonly response: string; readonly numbered: boolean } | null = null;
  /** The end of an answer that called our tool, kept until the answer is over; null: it is none. */
  #ending: { readonly event: Buffer; readonly data: EventData } | null = null;
  /** How the answer under way ended; null: it has not. */
  #ended: 'completed' | 'otherwise' | null = null;
  /** What its last event about the whole response said. */
  #head: AnswerHead = answerHead(null);

  constructor(tool: string) {
    this.#tool = tool;
  }

  push(bytes: Uint8Array): Uint8Array[] {
    return this.#splitter.push(bytes).flatMap((event) => this.#pass(event));
  }

  endRound(): { readonly bytes: Uint8Array[]; readonly round: HiddenRound } {
    const rest = this.#splitter.rest();
    const items = [...this.#items].sort(([a], [b]) => a - b).map(([, item]) => item);
    const ours = items.filter((item) => item.call === 'ours');
    const outcome = this.#outcome();
    const ending = this.#ending;
    const bytes =
      outcome === 'continue'
        ? []
        : [
            ...(ending === null ? [] : [this.#endFor(ending.event, ending.data)]),
            ...(rest.length > 0 ? [rest] : []),
          ];
    const round: HiddenRound = {
      ...this.#head,
      stopReason: this.#ended === null ? null : this.#head.stopReason,
      outcome,
      calls: ours.map(({ id, input }): HiddenCall => ({ id, input: input === '' ? '{}' : input })),
      parts: items.flatMap((item) => (item.json === null ? [] : [item.json])),
      reasoning: this.#delivered - this.#position,
      position: this.#position,
    };
    this.#before.push(
      ...items.flatMap(({ delivered, json }) => (delivered === null || json === null ? [] : [json])),
    );
    this.#joined ||= outcome === 'continue';
    this.#splitter = new EventSplitter();
    this.#items = new Map();
    this.#ended = null;
    this.#head = answerHead(null);
    this.#ending = null;
    return { bytes, round };
  }

  /** Codex gives up after a time without an event; a comment is none to it. */
  sayRunning(): Uint8Array | null {
    if (this.#begun === null) return null;
    const { response, numbered } = this.#begun;
    const number = numbered ? `"sequence_number":${this.#sequence++},` : '';
    return Buffer.from(
      `event: response.in_progress\ndata: {"type":"response.in_progress",${number}"response":${response}}\n\n`,
    );
  }

  #outcome(): HiddenRound['outcome'] {
    if (this.#ended === null) return 'broken';
    const calls = new Set([...this.#items.values()].map((item) => item.call));
    if (this.#ended !== 'completed' || !calls.has('ours')) return 'whole';
    return calls.has('client') ? 'mixed' : 'continue';
  }

  /** What the client gets of an event. An event that cannot be read passes as it is. */
  #pass(event: Buffer): Uint8Array[] {
    const data = eventData(event);
    const type = data === null ? null : stringMember(data.root, 'type');
    if (data === null || type === null) return [event];
    if (BEGINNINGS.has(type) || ENDINGS.has(type)) this.#note(event, data);
    if (BEGINNINGS.has(type)) return this.#begin(event, data);
    if (ENDINGS.has(type)) {
      this.#ended = type === 'response.completed' ? 'completed' : 'otherwise';
      if (![...this.#items.values()].some((item) => item.call === 'ours')) return [this.#endFor(event, data)];
      this.#ending = { event, data };
      return [];
    }
    const index = numberMember(data.root, 'output_index');
    if (index === null) return [this.#numbered(event, data, [])];
    const item = this.#itemAt(index, event, data);
    if (item.call === 'ours') return [];
    return [
      this.#numbered(event, data, [
        { node: member(data.root, 'output_index'), json: String(item.delivered ?? index) },
      ]),
    ];
  }

  #note(event: Buffer, { root, at }: EventData): void {
    this.#head = answerHead(plainMembers(member(root, 'response'), HEAD_MEMBERS, event, at));
  }

  #begin(event: Buffer, data: EventData): Uint8Array[] {
    const response = member(data.root, 'response');
    const id = stringMember(response, 'id');
    this.#responseId ??= id;
    if (id !== this.#responseId) return [];
    const numbered = member(data.root, 'sequence_number') !== undefined;
    const told = this.#numbered(event, data, withoutOwnTool(response, this.#tool));
    const read = this.#begun === null ? eventData(told) : null;
    const begun = member(read?.root, 'response');
    if (read !== null && begun !== undefined) {
      this.#begun = { response: told.toString('utf8', read.at + begun.start, read.at + begun.end), numbered };
    }
    return [told];
  }

  /** The item that an event is about, noted with what the event says of it. */
  #itemAt(index: number, event: Buffer, { root, at }: EventData): OpenItem {
    const described = member(root, 'item');
    const known = this.#items.get(index);
    const item = known ?? this.#open(index, described);
    if (described !== undefined && stringMember(root, 'type') === 'response.output_item.done') {
      item.json = event.toString('utf8', at + described.start, at + described.end);
      item.id = stringMember(described, 'call_id') ?? item.id;
      item.input = stringMember(described, 'arguments') ?? item.input;
    }
    return item;
  }

  #open(index: number, described: JsonNode | undefined): OpenItem {
    const type = stringMember(described, 'type');
    const isOurs = type === 'function_call' && stringMember(described, 'name') === this.#tool;
    const call = isOurs ? 'ours' : type !== null && CLIENT_CALLS.has(type) ? 'client' : null;
    const delivered = isOurs ? null : this.#delivered++;
    const item: OpenItem = { delivered, call, json: null, id: '', input: '' };
    if (!isOurs && type !== 'reasoning') this.#position += 1;
    this.#items.set(index, item);
    return item;
  }

  /** The event with the next sequence number, and whatever else is to change. */
  #numbered(event: Buffer, data: EventData, more: readonly EventSplice[]): Buffer {
    const number = this.#sequence;
    if (member(data.root, 'sequence_number') !== undefined) this.#sequence += 1;
    const changes = [{ node: member(data.root, 'sequence_number'), json: String(number) }, ...more].filter(
      ({ node, json }) => !(node?.type === 'number' && node.raw === json),
    );
    return changes.length === 0 ? event : spliceEvent(event, data, changes);
  }

  /** The end that the client gets: where an answer was hidden, with the first one's id and all that the client saw. */
  #endFor(event: Buffer, data: EventData): Buffer {
    const response = member(data.root, 'response');
    const id = member(response, 'id');
    const output = member(response, 'output');
    const changes: EventSplice[] = [...withoutOwnTool(response, this.#tool)];
    const first = this.#joined ? this.#responseId : null;
    if (id !== undefined && first !== null && stringMember(response, 'id') !== first) {
      changes.push({ node: id, json: JSON.stringify(first) });
    }
    const items = itemsOf(output);
    const visible = items.filter(
      (item) => stringMember(item, 'name') !== this.#tool || stringMember(item, 'type') !== 'function_call',
    );
    if (output !== undefined && (this.#before.length > 0 || visible.length < items.length)) {
      const own = visible.map((item) => event.toString('utf8', data.at + item.start, data.at + item.end));
      changes.push({ node: output, json: `[${[...this.#before, ...own].join(',')}]` });
    }
    return this.#numbered(event, data, changes);
  }
}
