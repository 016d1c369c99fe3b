import { expect, it } from 'vitest';
import { databaseWhere } from './status.ts';

it('user and password of a database address are never shown', () => {
  expect(databaseWhere('postgresql://ada:secret@db.example:5432/context')).toBe('db.example:5432/context');
});
