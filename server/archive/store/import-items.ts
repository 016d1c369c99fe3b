import { DOC_ID_PREFIX, docIdOf, type MessageHash } from '../../conversation/index.ts';
import { ContextModeError } from '../../kernel/errors.ts';
import { storedText } from '../text.ts';
import { blobHashOf, DOC_ID_DIGITS_FROM, storedHashOf } from './content.ts';
import { importFault } from './import-fault.ts';
import type { ImportRow, ImportTable } from './import-rows.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Where rows of an import go. */
export type TakeRow = (table: ImportTable, row: ImportRow) => void;

/**
 * Turns the lines of messages and binary content into rows, and tests with the account's key that they are what was
 * exported: what an item is called by, and what was written beside it as the hash of its text.
 */
export class ContentReader {
  readonly #key: Uint8Array;
  readonly #foreign: boolean;
  /** True once something was seen to be made with the account's key. */
  #ours = false;
  /** True once an item came without its file touches: an export of an older version. */
  untouched = false;

  constructor(key: Uint8Array, foreign: boolean) {
    this.#key = key;
    this.#foreign = foreign;
  }

  blob(line: number, fields: Fields, take: TakeRow): number {
    const bytes = Buffer.from(textIn(line, fields, 'bytes'), 'base64');
    const hash = textIn(line, fields, 'hash');
    this.#judge(line, blobHashOf(this.#key, bytes).toString('hex') === hash);
    const row = { ...fields, bytes: bytes.toString('hex'), size: bytes.length };
    take('blob', { line, row });
    return bytes.length * 2;
  }

  /** Gives the hash of the message, and the size of what it takes. */
  message(line: number, fields: Fields, take: TakeRow): { readonly hash: string; readonly size: number } {
    const { items, aliases, ...message } = fields;
    const hash = textIn(line, fields, 'hash');
    if (!/^[0-9a-f]{64}$/.test(hash)) throw importFault(line, 'has a message without a hash');
    take('message', { line, row: message });
    let size = 0;
    for (const item of listIn(line, items)) size += this.#item(line, hash, item, take);
    for (const alias of listIn(line, aliases))
      take('message_alias', { line, row: { ...alias, message_hash: hash } });
    return { hash, size };
  }

  #item(line: number, hash: string, fields: Fields, take: TakeRow): number {
    const { media, touches, docid, text, body, ...rest } = fields;
    const { position } = rest;
    if (typeof text !== 'string' || typeof docid !== 'string' || typeof position !== 'number')
      throw importFault(line, 'has an item without text, id or position');
    const stored = storedText(text);
    const bytes = typeof body === 'string' ? Buffer.from(body, 'base64') : null;
    const storedHash = storedHashOf(this.#key, { ...stored, body: bytes }).toString('hex');
    const digits = docid.startsWith(DOC_ID_PREFIX) ? docid.slice(DOC_ID_DIGITS_FROM) : docid;
    const expected = docIdOf(this.#key, Buffer.from(hash, 'hex') as Uint8Array as MessageHash, position);
    this.#judge(
      line,
      storedHash === rest.stored_hash && digits.startsWith(expected.slice(DOC_ID_DIGITS_FROM)),
    );
    const own = { message_hash: hash, position };
    const row = {
      ...rest,
      ...own,
      docid: digits,
      text: stored.text,
      exact: stored.exact?.toString('hex') ?? null,
      body: bytes?.toString('hex') ?? null,
      chars: stored.chars,
      bytes: stored.bytes,
      stored_hash: storedHash,
    };
    take('item', { line, row });
    for (const one of listIn(line, media)) take('media', { line, row: { ...one, ...own } });
    if (touches === undefined) this.untouched = true;
    else for (const one of listIn(line, touches)) take('file_touch', { line, row: { ...one, ...own } });
    return text.length + (bytes?.length ?? 0) * 2;
  }

  /** What does not fit the account's key was made with another one, or was changed since. */
  #judge(line: number, fits: boolean): void {
    if (fits) this.#ours = true;
    if (fits || this.#foreign) return;
    if (this.#ours) throw importFault(line, 'is not what was exported: it was changed, or it was cut');
    throw new ContextModeError(
      'conflict',
      `Line ${line}: this export was made under another key, or it was changed.`,
      {
        hint: 'Ids are made with the key of an archive. Import it into an empty archive together with its key (export --keys, import --keys), or as a session of its own that its agent cannot go on with (import --foreign).',
      },
    );
  }
}

/** The text of a field. @throws ContextModeError `bad_request` */
export function textIn(line: number, fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value === 'string') return value;
  throw importFault(line, `has no ${name}`);
}

/** The objects of a list. @throws ContextModeError `bad_request` */
export function listIn(line: number, value: unknown): readonly Fields[] {
  if (Array.isArray(value) && value.every(isFields)) return value;
  throw importFault(line, 'has something else where a list of objects belongs');
}

/** True for an object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
