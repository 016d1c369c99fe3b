import type { ArchiveReader, AskingPlace, AskingReader, Document, SearchHit } from '../../archive/index.ts';
import type { DocId } from '../../conversation/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import {
  type AnswerOptions,
  ambiguousAnswer,
  documentAnswer,
  type FoundPlace,
  LATE_ANSWER,
  missingAnswer,
  type ReadDocument,
  type RetrievalCall,
  readRetrievalCall,
  searchAnswer,
  timeIn,
} from '../../recall/index.ts';
import type { HiddenCall } from '../hidden/types.ts';
import type { Timers } from '../keep-alive.ts';
import { imagesOf } from './images.ts';
import { faultAnswer, NO_ROOM, NOT_KEPT } from './texts.ts';
import type { Asking, Retrieval, RetrievalAnswer } from './types.ts';
import { within } from './within.ts';

/** Longest that an answer may take, in milliseconds; then it says to try again. */
const DEADLINE_MS = 2_000;
/** Tokens of an answer at most, however much room there is: what is longer is read on. */
const MOST_TOKENS = 10_000;
/** Below so many tokens no answer is of use. */
const LEAST_TOKENS = 700;
/** Places that a search shows at most. */
const PLACES = 12;
/** Characters that one token has at most, so that no more of a document is read than can be shown. */
const CHARACTERS_PER_TOKEN = 16;

/** A fact that fits a search: in one line, and the document that it was drawn from (null: none). */
export interface FoundFact {
  readonly line: string;
  readonly docid: string | null;
}

/** What the archive is asked with. */
export interface RetrievalParts {
  readonly archive: Pick<ArchiveReader, 'search' | 'readDocument' | 'readBlob'> & AskingReader;
  /** The name that a session is stored under: names may hold what is masked. */
  readonly storedName: (asking: Asking) => Promise<string>;
  /** The facts of a place that fit the words of a search; left out: none are known. */
  readonly facts?: (asking: Asking, place: AskingPlace, q: string) => Promise<readonly FoundFact[]>;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Estimated tokens of a text; never falls as the text grows. */
  readonly estimate: (text: string) => number;
}

/** Makes what answers the calls of our tool. Only what the place of the conversation that asks shows is ever read out. */
export function createRetrieval(parts: RetrievalParts): Retrieval {
  return new ArchiveRetrieval(parts);
}

class ArchiveRetrieval implements Retrieval {
  readonly #parts: RetrievalParts;

  constructor(parts: RetrievalParts) {
    this.#parts = parts;
  }

  async answer(call: HiddenCall, asking: Asking, tokens: number): Promise<RetrievalAnswer> {
    const asked = readRetrievalCall(call.input);
    if (asked.ask === 'wrong') return saying(asked.answer);
    if (tokens < LEAST_TOKENS) return saying(NO_ROOM);
    const { clock, timers, estimate } = this.#parts;
    const options: AnswerOptions = {
      tokens: Math.min(tokens, MOST_TOKENS),
      estimate,
      timeOf: timeIn(asking.timeZone),
      now: clock.now(),
    };
    const outcome = await within(this.#lookUp(asked, asking, options), DEADLINE_MS, timers);
    if (outcome.is === 'done') return outcome.value;
    return saying(outcome.is === 'late' ? LATE_ANSWER : faultAnswer(outcome.error));
  }

  async #lookUp(
    asked: Exclude<RetrievalCall, { ask: 'wrong' }>,
    asking: Asking,
    options: AnswerOptions,
  ): Promise<RetrievalAnswer> {
    const { archive, storedName } = this.#parts;
    const { accountId, thread } = asking;
    const place = await archive.findSession(accountId, thread.agent, await storedName(asking));
    if (place === null) return saying(NOT_KEPT);
    return asked.ask === 'search'
      ? this.#search(asked.q, asking, place, options)
      : this.#read(asked.docid, asked.offset, asking, place, options);
  }

  async #search(
    q: string,
    asking: Asking,
    place: AskingPlace,
    options: AnswerOptions,
  ): Promise<RetrievalAnswer> {
    const { sessionId, projectId } = place;
    const [{ items, notes }, facts] = await Promise.all([
      this.#parts.archive.search(asking.accountId, {
        q,
        limit: PLACES,
        ...(projectId === null ? { sessionId } : { projectId }),
      }),
      // Where memory does not answer the archive does.
      this.#parts.facts?.(asking, place, q).catch(() => []) ?? [],
    ]);
    const text = searchAnswer(
      q,
      items.map((hit) => foundPlace(hit, place)),
      notes,
      options,
      facts.map(({ line }) => line),
    );
    const shown = items.map((hit) => hit.docid).filter((docid) => text.includes(docid));
    const drawnFrom = facts.flatMap(({ docid }) => (docid === null ? [] : [docid as DocId]));
    return { text, images: [], documents: [...new Set([...shown, ...drawnFrom])] };
  }

  async #read(
    docid: string,
    offset: number,
    asking: Asking,
    place: AskingPlace,
    options: AnswerOptions,
  ): Promise<RetrievalAnswer> {
    const { archive, estimate } = this.#parts;
    const { accountId } = asking;
    const part = { offset, length: options.tokens * CHARACTERS_PER_TOKEN };
    const read = await archive.readDocument(accountId, docid, part);
    if ('missing' in read) return saying(missingAnswer(docid));
    const named = 'found' in read ? [read.found.docid] : read.ambiguous;
    const shown = await archive.documentsIn(accountId, place, named);
    const [only] = shown;
    if (only === undefined) return saying(missingAnswer(docid));
    if (shown.length > 1) return saying(ambiguousAnswer(docid, shown));
    if (!('found' in read)) return this.#read(only, offset, asking, place, options);
    const { found } = read;
    const text = documentAnswer(readDocument(found), options);
    const { images, notes } = await imagesOf(found.media, options.tokens - estimate(text), (hash) =>
      archive.readBlob(accountId, hash),
    );
    return { text: [text, ...notes].join('\n'), images, documents: [found.docid] };
  }
}

function saying(text: string): RetrievalAnswer {
  return { text, images: [], documents: [] };
}

function foundPlace(hit: SearchHit, place: AskingPlace): FoundPlace {
  return {
    docid: hit.docid,
    who: hit.tool ?? hit.role,
    at: hit.at,
    // What is read under a call's id is its result: a place in its input is none in that.
    offset: hit.kind === 'tool_call' ? 0 : hit.offset,
    snippet: hit.snippet.text,
    elsewhere: hit.sessionId === place.sessionId ? null : hit.sessionTitle || 'an earlier session',
  };
}

function readDocument({
  docid,
  tool,
  role,
  at,
  input,
  text,
  offset,
  length,
  masked,
  ...rest
}: Document): ReadDocument {
  const { changed, fresh } = rest;
  return {
    docid,
    who: tool ?? role,
    at,
    input,
    text,
    offset,
    length,
    masked,
    changed: changed === undefined ? null : { at: changed.at, docid: (fresh ?? changed).docid },
  };
}
