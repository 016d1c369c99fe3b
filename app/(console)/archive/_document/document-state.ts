import { parseAsBoolean, parseAsInteger, parseAsString, parseAsStringLiteral } from 'nuqs';

/** How a document can be looked at. */
export const DOCUMENT_VIEWS = ['readable', 'exact', 'facts'] as const;

/** What stands in the address of every screen that shows a document. */
export const DOCUMENT_STATE = {
  /** The document; null: none is open. */
  doc: parseAsString,
  /** The character to begin at, and the words to look for in it. */
  off: parseAsInteger,
  in: parseAsString,
  view: parseAsStringLiteral(DOCUMENT_VIEWS).withDefault('readable'),
  /** Long lines broken, signs for what cannot be seen, numbers of lines; null: as it fits the kind. */
  wrap: parseAsBoolean,
  signs: parseAsBoolean,
  lines: parseAsBoolean,
};

/** The state in which a document opens. */
export function openedAt(doc: string, off: number | null = null, words: string | null = null) {
  return { doc, off, in: words };
}

/** The state in which no document is open. The view that was chosen holds for the next one. */
export const CLOSED = { doc: null, off: null, in: null };

/** The address of a document by itself. */
export function documentAddress(docid: string): string {
  return `/archive/document/${docid}`;
}

/** The address of a place in a session, with a document open beside it. */
export function placeAddress(sessionId: string, seq: number, docid?: string): string {
  return `/archive/${sessionId}?at=${seq}${docid === undefined ? '' : `&doc=${docid}`}`;
}
