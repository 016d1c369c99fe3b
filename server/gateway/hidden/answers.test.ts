import { describe, expect, test } from 'vitest';
import { answerOf, type HiddenAnswer, placesBehind, type VisiblePart } from './answers.ts';

const said = (fingerprint: string): VisiblePart => ({ fingerprint, isReasoning: false });
const thought = (fingerprint: string): VisiblePart => ({ fingerprint, isReasoning: true });
const place = (position: number) => ({ reasoning: 0, position, sent: [`round at ${position}`] });
const open = (parts: readonly VisiblePart[], ...positions: readonly number[]): HiddenAnswer => ({
  id: 'open',
  chain: '',
  open: true,
  parts,
  places: positions.map(place),
  mixed: null,
});
const find = (echoed: readonly VisiblePart[], ...kept: readonly HiddenAnswer[]) =>
  answerOf(echoed, kept, new Set())?.id ?? null;

describe('an answer that nobody saw the end of', () => {
  const kept = open([said('a')], 1);

  test('is known by what is known of it, and its rounds stand in front of what came behind', () => {
    const echoed = [said('a'), said('more')];
    expect(find(echoed, kept)).toBe('open');
    expect(placesBehind(echoed, kept)).toEqual([place(1)]);
  });

  test('is not put back where nothing came behind its rounds, nor in another answer', () => {
    expect(find([said('a')], kept)).toBeNull();
    expect(find([said('b'), said('more')], kept)).toBeNull();
  });

  test('of which nothing is known is told by the reasoning before it, and without that not at all', () => {
    expect(find([said('x')], open([], 0))).toBeNull();
    expect(find([thought('t'), said('x')], open([thought('t')], 0))).toBe('open');
    expect(find([thought('other'), said('x')], open([thought('t')], 0))).toBeNull();
  });

  test('stands behind one that is the whole echo', () => {
    const whole: HiddenAnswer = { ...open([said('a'), said('b')], 1), id: 'whole', open: false };
    expect(find([said('a'), said('b')], whole, kept)).toBe('whole');
  });
});
