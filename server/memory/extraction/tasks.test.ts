import { expect, test } from 'vitest';
import { drawnFrom } from './testing.ts';

/** What people type to have something done: short, long, half a sentence, with names and numbers in it. */
const TASKS: readonly string[] = [
  'add pagination to the orders table',
  'why is the cart empty after login?',
  'the tests pass locally but fail in CI, have a look',
  'refactor this into two functions',
  'Make the header sticky on mobile',
  'it still does not work, same error',
  'can you explain what this regex does',
  'Write a migration that adds a column status to orders',
  'revert the last change',
  'the page is blank when I open it',
  'I get TypeError: x is not a function',
  'now do the same for the customers page',
  'update the README',
  'The button should be blue and on the right',
  'run npm test and show me the failures',
  'looks like the API returns 500 for guests',
  'the spec says the limit is 10',
  'Use the logger from lib/log instead of console.log',
  'what are the options here',
  'please split the commit in two',
  'the name field is required, show a message otherwise',
  'there is a typo in the title',
  'sort the list by date, newest first',
  'it is slow, profile it',
  'make the timeout 30 seconds',
  'change the color to red',
  'we need tests for this',
  'I want to add a dark mode',
  'the input is in the wrong place',
  'check whether we use lodash anywhere',
  'remove the unused imports',
  'The response is JSON, parse it',
  'set the version to 2.0.0',
  'our tests are flaky, find out why',
  'and the tooltip?',
  'the loop never ends',
  'rename it to fetchOrders',
  "don't mock the database in this test",
  "let's start with the backend",
  'great, now commit and push',
  'ok but keep the old behaviour for guests',
  'Implement the function so that the result is a list of strings',
  'the cursor moved to the next line after paste',
  'I moved the file to src/lib, fix the imports',
  'Server is not starting, port is in use',
  'the price is 10.99 but should be 9.99',
  'The variable name is misleading',
  'use pnpm add zod',
  'Production is down!',
  'is it deployed',
];

test.each(TASKS)('a task leaves no fact: %s', (task) => {
  expect(drawnFrom(task)).toEqual([]);
});

test('all tasks together leave none either', () => {
  expect(
    drawnFrom(
      TASKS.map((task) => `${task}.`)
        .join(' ')
        .slice(0, 100_000),
    ),
  ).toEqual([]);
  expect(drawnFrom(TASKS.slice(0, 40).join('\n'))).toEqual([]);
});
