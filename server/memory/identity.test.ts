import { expect, test } from 'vitest';
import { isUuid, type Uuid } from '../kernel/ids.ts';
import { type StatementSource, statementId } from './identity.ts';

const KEY = Buffer.alloc(32, 1);
const SOURCE: StatementSource = { source: 'd', slot: 's' as Uuid, kind: 'value', key: 'A', nth: 0 };

test('a statement has the same id whenever it is drawn again, and another one where anything of it differs', () => {
  const id = statementId(KEY, SOURCE);
  expect(isUuid(id)).toBe(true);
  expect(statementId(KEY, { ...SOURCE })).toBe(id);
  const others = [
    statementId(Buffer.alloc(32, 2), SOURCE),
    ...([{ source: 'e' }, { slot: 't' as Uuid }, { kind: 'end' }, { key: 'B' }, { nth: 1 }] as const).map(
      (change) => statementId(KEY, { ...SOURCE, ...change }),
    ),
  ];
  expect(new Set([id, ...others]).size).toBe(others.length + 1);
});
