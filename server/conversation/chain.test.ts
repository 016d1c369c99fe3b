import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Uuid } from '../kernel/ids.ts';
import { hexOf } from './bytes.ts';
import { docIdOf, messageHash, rootHash, sliceGroupHash, sliceHash } from './chain.ts';

const KEY = new Uint8Array(32).fill(7);
const OTHER_KEY = new Uint8Array(32).fill(8);
const PROJECT = '01900000-0000-7000-8000-000000000001' as Uuid;

describe('names', () => {
  it('differ by key, parent, role and content', () => {
    const root = rootHash(KEY, PROJECT);
    const content = Buffer.from('{"content":[]}');
    const hashes = [
      rootHash(KEY, null),
      root,
      rootHash(OTHER_KEY, PROJECT),
      messageHash(KEY, root, 'user', content),
      messageHash(OTHER_KEY, root, 'user', content),
      messageHash(KEY, root, 'assistant', content),
      messageHash(KEY, rootHash(KEY, null), 'user', content),
      messageHash(KEY, root, 'user', Buffer.from('{"content":[1]}')),
    ];
    expect(new Set(hashes.map(hexOf)).size).toBe(hashes.length);
    expect(hashes.every((hash) => hash.length === 32)).toBe(true);
  });

  it('are the same for the same bytes wherever these lie', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
        shared.set(bytes);
        expect(sliceHash(KEY, shared)).toEqual(sliceHash(KEY, bytes));
        expect(messageHash(KEY, rootHash(KEY, null), 'user', shared)).toEqual(
          messageHash(KEY, rootHash(KEY, null), 'user', bytes),
        );
      }),
    );
  });

  it('of slices have 16 bytes and those of groups are others', () => {
    const slice = sliceHash(KEY, Buffer.from('a'));
    expect(slice).toHaveLength(16);
    expect(hexOf(sliceGroupHash(KEY, [slice]))).not.toBe(hexOf(slice));
    expect(hexOf(sliceGroupHash(KEY, [slice, slice]))).not.toBe(hexOf(sliceGroupHash(KEY, [slice])));
  });

  it('of documents are stable, differ by position and have 16 hex digits', () => {
    const message = messageHash(KEY, rootHash(KEY, PROJECT), 'user', Buffer.from('x'));
    expect(docIdOf(KEY, message, 0)).toMatch(/^context-mode-msg-[0-9a-f]{16}$/);
    expect(docIdOf(KEY, message, 0)).toBe(docIdOf(KEY, message, 0));
    expect(docIdOf(KEY, message, 0)).not.toBe(docIdOf(KEY, message, 1));
  });
});
