import type { Maker } from './fact.ts';
import { SUBSYSTEMS } from './subjects.ts';

/** A line of a log, asked for by its number or by what happened. */
export const log: Maker = (random) => {
  const order = `ORD-${10_000 + random.below(89_999)}`;
  const [system] = random.pick(SUBSYSTEMS);
  const state = random.pick([
    'stuck in review',
    'charged twice',
    'shipped without label',
    'refused by the bank',
    'lost its address',
  ]);
  return {
    kind: 'log',
    carrier: 'result',
    text: `2026-11-12T08:15:${String(random.below(60)).padStart(2, '0')}Z WARN [${system.replaceAll(' ', '-')}] order=${order} ${state}`,
    question: random.pick([
      `What happened to order ${order}?`,
      `${order} ${state}`,
      `Which order was ${state} in the ${system}?`,
    ]),
    distractors: [
      `order=ORD-${10_000 + random.below(89_999)} ${random.pick(['shipped', 'packed'])} by the ${system}`,
    ],
  };
};
