import { expect, it } from 'vitest';
import { fieldOf, INHERIT, SWITCH, switchChoice, tokensChoice } from './choices.ts';

it('a field that nobody sets here shows what it inherits, and from whom', () => {
  const field = fieldOf('session', 'project', switchChoice(false), SWITCH);
  expect(field.value).toBe(INHERIT);
  expect(field.choices[0]).toEqual({ value: INHERIT, label: 'As the project: Off' });
  expect(fieldOf('account', 'default', switchChoice(true), SWITCH).choices[0]?.label).toBe('By default: On');
});

it('a field that is set here shows its own value, and the way back to the wider scope', () => {
  const field = fieldOf('project', 'project', switchChoice(false), SWITCH);
  expect(field.value).toBe('false');
  expect(field.choices[0]).toEqual({ value: INHERIT, label: 'As the account' });
});

it('a value that is not among the offered ones can still be seen as chosen', () => {
  const field = fieldOf('account', 'account', tokensChoice(77_000), [tokensChoice(5_000)]);
  expect(field.choices.map(({ value }) => value)).toEqual([INHERIT, '77000', '5000']);
  expect(field.value).toBe('77000');
});
