import { expect, it } from 'vitest';
import { textKinds } from './kinds.ts';

it.each([
  ['<system-reminder>\nnot typed\n</system-reminder>\n', 'injected'],
  ['<system-reminder>pasted</system-reminder> why does this stand in my log?', 'input'],
  ['<system-reminder> is what I want to know about', 'input'],
  ['what is <system-reminder>this</system-reminder>', 'input'],
  ['<local-command-stdout>ok</local-command-stdout>', 'injected'],
])('a text of a user message, %j, is %s', (text, kind) => {
  expect(textKinds('user')(text)).toBe(kind);
});
