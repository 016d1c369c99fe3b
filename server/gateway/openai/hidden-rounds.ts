import type { AgentName, DocId } from '../../conversation/index.ts';
import { member, readJson, stringMember } from '../../conversation/index.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { RETRIEVAL_TOOL } from '../../recall/index.ts';
import type { AnsweredCall, AnsweredRound, AnswerSoFar, RecordDraft } from '../hidden/rounds.ts';
import type { Edit as NamedEdit } from '../validator/index.ts';
import { type HiddenItems, type ItemKeys, keysOf } from './put-back.ts';

/** Hidden items that stand together, with the documents of their whole round. */
interface Gap extends HiddenItems {
  readonly id: Uuid;
  readonly documents: readonly DocId[];
}

interface SentItem {
  readonly json: string;
  readonly isOurs: boolean;
}

interface Fields {
  readonly newId: () => Uuid;
  readonly agent: AgentName;
  /** Items that are sent behind the first request's, ours among them. */
  readonly items: readonly SentItem[];
  /** JSON texts of the items that the client has. */
  readonly visible: readonly string[];
  readonly gaps: readonly Gap[];
}

/**
 * An answer of the Responses API with nothing in it yet.
 * @param newId makes the ids of the records that are kept of it
 * @param agent decides the form in which items come back
 */
export function itemsAnswer(newId: () => Uuid, agent: AgentName): AnswerSoFar {
  return new ItemsAnswer({ newId, agent, items: [], visible: [], gaps: [] });
}

class ItemsAnswer implements AnswerSoFar {
  readonly #fields: Fields;

  constructor(fields: Fields) {
    this.#fields = fields;
  }

  get sent(): readonly string[] {
    return this.#fields.items.map((item) => item.json);
  }

  get echoed(): readonly string[] {
    return this.#fields.visible;
  }

  named(base: number): readonly NamedEdit[] {
    return this.#fields.items.flatMap(({ isOurs }, index): NamedEdit[] =>
      isOurs ? [{ kind: 'hidden-round', element: base + index }] : [],
    );
  }

  withRound({ parts, calls, mixed }: AnsweredRound): AnswerSoFar | null {
    const ours = parts.filter(isOurs);
    if (ours.length !== calls.length || calls.length === 0) return null;
    const { newId, agent, visible } = this.#fields;
    const items: SentItem[] = [];
    const builder = new GapBuilder(newId, lastKeys(visible));
    let asked = 0;
    for (const part of parts) {
      const json = isOurs(part) ? callJson(part, calls[asked++]) : echoForm(part, agent);
      items.push({ json, isOurs: isOurs(part) });
      if (isOurs(part)) builder.hide(json);
      else builder.show(keysOf(Buffer.from(json)));
    }
    const outputs = calls.map(outputJson);
    for (const json of outputs) builder.hide(json);
    const seen = this.#delivered(parts);
    return new ItemsAnswer({
      ...seen,
      items: mixed
        ? seen.items
        : [...seen.items, ...items, ...outputs.map((json) => ({ json, isOurs: true }))],
      gaps: [...seen.gaps, ...builder.gaps(calls.flatMap((call) => call.documents))],
    });
  }

  withEnd(parts: readonly string[]): AnswerSoFar {
    return new ItemsAnswer(this.#delivered(parts));
  }

  records(): readonly RecordDraft[] {
    return this.#fields.gaps.map(({ documents, ...data }) => ({
      id: data.id,
      anchors: [...(data.after ?? []), ...(data.before ?? [])],
      documents: [...new Set(documents)],
      data,
    }));
  }

  /** What the client has more; its first item stands behind hidden ones that none stood behind yet. */
  #delivered(parts: readonly string[]): Fields {
    const { agent, visible, gaps } = this.#fields;
    const more = parts.filter((part) => !isOurs(part)).map((part) => echoForm(part, agent));
    const [first] = more;
    const before = first === undefined ? null : keysOf(Buffer.from(first));
    return {
      ...this.#fields,
      visible: [...visible, ...more],
      gaps: gaps.map((gap) => (gap.before === null ? { ...gap, before } : gap)),
    };
  }
}

/** Sorts a round's hidden items by the visible ones between them. */
class GapBuilder {
  readonly #newId: () => Uuid;
  readonly #gaps: { after: ItemKeys | null; before: ItemKeys | null; sent: string[] }[] = [];
  /** Visible items behind the first hidden one. */
  readonly #between: ItemKeys[] = [];
  #last: ItemKeys | null;
  #open = false;

  constructor(newId: () => Uuid, last: ItemKeys | null) {
    this.#newId = newId;
    this.#last = last;
  }

  hide(json: string): void {
    if (!this.#open) this.#gaps.push({ after: this.#last, before: null, sent: [] });
    this.#gaps.at(-1)?.sent.push(json);
    this.#open = true;
  }

  show(keys: ItemKeys): void {
    const gap = this.#gaps.at(-1);
    if (gap !== undefined) this.#between.push(keys);
    if (gap !== undefined && this.#open) gap.before = keys;
    this.#open = false;
    this.#last = keys;
  }

  gaps(documents: readonly DocId[]): readonly Gap[] {
    return this.#gaps.map((gap) => ({ ...gap, id: this.#newId(), needs: this.#between, documents }));
  }
}

function lastKeys(items: readonly string[]): ItemKeys | null {
  const last = items.at(-1);
  return last === undefined ? null : keysOf(Buffer.from(last));
}

function isOurs(json: string): boolean {
  if (!json.includes(RETRIEVAL_TOOL)) return false;
  const node = readJson(Buffer.from(json)) ?? undefined;
  return stringMember(node, 'type') === 'function_call' && stringMember(node, 'name') === RETRIEVAL_TOOL;
}

/** Codex sends reasoning back with a `content` that the provider did not give: what goes on is what it will send. */
function echoForm(json: string, agent: AgentName): string {
  if (agent !== 'codex' || !json.includes('"reasoning"')) return json;
  const node = readJson(Buffer.from(json)) ?? undefined;
  if (stringMember(node, 'type') !== 'reasoning' || member(node, 'content') !== undefined) return json;
  return `${json.slice(0, json.lastIndexOf('}'))},"content":null}`;
}

/** Our call as it is sent on: with the item's id, and nothing that only an answer has. */
function callJson(json: string, call: AnsweredCall | undefined): string {
  const id = stringMember(readJson(Buffer.from(json)) ?? undefined, 'id');
  const named = id === null ? '' : `"id":${JSON.stringify(id)},`;
  const fields = `"call_id":${JSON.stringify(call?.id ?? '')},"name":${JSON.stringify(RETRIEVAL_TOOL)}`;
  return `{"type":"function_call",${named}${fields},"arguments":${JSON.stringify(call?.input ?? '{}')}}`;
}

function outputJson({ id, result }: AnsweredCall): string {
  return `{"type":"function_call_output","call_id":${JSON.stringify(id)},"output":${result}}`;
}
