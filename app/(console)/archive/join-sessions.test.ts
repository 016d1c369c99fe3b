import fc from 'fast-check';
import { expect, it } from 'vitest';
import { joinSessions } from './join-sessions.ts';

const PAGE = 5;

/** Sessions newest first; each name that arrives or is seen again goes to the front. */
function touched(list: readonly string[], names: readonly string[]): string[] {
  return names.reduce((rest, name) => [name, ...rest.filter((other) => other !== name)], [...list]);
}

it('whatever arrives meanwhile, every session stands once and in its place', () => {
  const names = fc.array(fc.nat(60).map(String), { maxLength: 9 });
  fc.assert(
    fc.property(
      fc.integer({ min: 6, max: 40 }),
      fc.integer({ min: 1, max: 6 }),
      names,
      (count, pages, news) => {
        const before = Array.from({ length: count }, (_, at) => String(at));
        const after = touched(before, news);
        const older = before.slice(PAGE, PAGE * (1 + pages));
        const between = after.slice(PAGE, 2 * PAGE);
        const next = after.length > 2 * PAGE ? 'more' : null;
        const rowsAs = (ids: readonly string[], seen: string) =>
          ids.map((id) => ({ id, lastSeenAt: news.includes(id) ? seen : 'long ago' }));
        const { rows, joins } = joinSessions(
          rowsAs(after.slice(0, PAGE), 'now'),
          news.length === 0 ? null : { items: rowsAs(between, 'now'), next },
          rowsAs(older, 'before'),
        );
        const shown = rows.map(({ id }) => id);
        expect(new Set(shown).size).toBe(shown.length);
        expect(shown).toEqual(after.slice(0, shown.length));
        if (joins) for (const id of older) expect(shown).toContain(id);
      },
    ),
  );
});

it('a hole between new and old is told of, and no row stands behind it', () => {
  const rows = (from: number) =>
    [0, 1, 2].map((at) => ({ id: `${from + at}`, lastSeenAt: `${100 - from - at}` }));
  expect(joinSessions(rows(90), { items: rows(80), next: 'more' }, rows(10))).toEqual({
    rows: [...rows(90), ...rows(80)],
    joins: false,
  });
});
