import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ItemKind, Role } from './model.ts';
import { isTyped, type TurnMessage, turnsOf } from './turns.ts';

const of = (role: Role, ...kinds: readonly ItemKind[]): TurnMessage => ({
  role,
  items: kinds.map((kind) => ({ kind })),
});
const typed = of('user', 'injected', 'input');
const injected = of('user', 'injected');
const results = of('user', 'tool_result');
const system = of('system', 'injected');
const answer = of('assistant', 'answer');

describe('turns', () => {
  it('cover the conversation without gaps, one for each typed message', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(typed, injected, results, system, answer), { maxLength: 30 }),
        (messages) => {
          const turns = turnsOf(messages);
          expect(turns.filter((turn) => turn.typed)).toHaveLength(messages.filter(isTyped).length);
          expect(turns.filter((turn) => !turn.typed).length).toBeLessThanOrEqual(1);
          let at = 0;
          for (const turn of turns) {
            expect(turn.start).toBe(at);
            expect(turn.end).toBeGreaterThan(turn.start);
            expect(messages.slice(turn.start, turn.end).filter(isTyped)).toHaveLength(turn.typed ? 1 : 0);
            for (const round of turn.rounds) {
              expect(round.start).toBeGreaterThanOrEqual(turn.start);
              expect(round.end).toBeLessThanOrEqual(turn.end);
              expect(messages[round.start]?.role).toBe('assistant');
            }
            at = turn.end;
          }
          expect(at).toBe(messages.length);
        },
      ),
    );
  });

  it('begin with what the agent injects directly before a typed message', () => {
    expect(
      turnsOf([injected, typed, answer, injected, injected, typed]).map((turn) => [turn.start, turn.end]),
    ).toEqual([
      [0, 3],
      [3, 6],
    ]);
  });

  it('keep results and their system messages in the turn that asked for them', () => {
    const turns = turnsOf([typed, system, answer, results, system, answer, typed]);
    expect(turns.map((turn) => turn.start)).toEqual([0, 6]);
    expect(turns[0]?.rounds).toEqual([
      { start: 2, end: 5 },
      { start: 5, end: 6 },
    ]);
  });

  it('have one that is not typed where a conversation begins otherwise', () => {
    expect(turnsOf([answer, typed]).map((turn) => turn.typed)).toEqual([false, true]);
  });
});
