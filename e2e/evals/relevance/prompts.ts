import type { Random } from '../search/random.ts';

/** A first prompt, and the things whose facts it works with; the first of them is what it needs. */
export interface Prompt {
  readonly text: string;
  readonly things: readonly string[];
}

/** Work on one thing, by the thing's name. */
const ON_ONE: readonly ((thing: string) => string)[] = [
  (thing) => `The ${thing} answers slowly since this morning, find out why.`,
  (thing) => `Write a runbook for the ${thing}.`,
  (thing) => `Add a health check for the ${thing} and wire it into the dashboard.`,
  (thing) => `Who do I ask before I change the ${thing}? Prepare the change either way.`,
  (thing) => `Refactor the code around the ${thing}; keep its behaviour.`,
  (thing) => `I get a 502 from the ${thing}, have a look at the logs.`,
];
const ON_TWO: readonly ((one: string, other: string) => string)[] = [
  (one, other) => `Let the ${one} call the ${other} and cover it with a test.`,
  (one, other) => `The ${one} fails whenever the ${other} is down. Make it retry.`,
];
/** Work on what no fact is known of. */
const ON_NOTHING: readonly string[] = [
  'Rename fetchAll to fetchOrders and fix the imports.',
  'Why does the linter complain about unused variables in the parser?',
  'Make the sidebar collapsible on small screens.',
  'Write unit tests for the date helpers.',
  'The tooltip flickers when I move the mouse quickly.',
  'Upgrade the eslint configuration to the flat format.',
  'Explain what this regular expression matches.',
  'Remove the dead code in the reducer.',
  'Sort the list by name, case does not matter.',
  'Convert the class components in src/views to functions.',
  'Add keyboard shortcuts for next and previous.',
  'The build warns about a large chunk, split it.',
  'Translate the error messages to Spanish.',
  'Look at the failing snapshot test and update it if it is right.',
  'Format all markdown files.',
  'Replace moment by date-fns in the calendar.',
  'The test for the api client is flaky on the design branch.',
  'Show a spinner while the form is loading.',
  'Document the flags of the release script.',
  'Extract the table header into a component of its own.',
];

/** How often a prompt of each kind comes. */
const EACH = 20;

/** Forty first prompts over some things. */
export function promptsOf(random: Random, things: readonly string[]): readonly Prompt[] {
  const some: Prompt[] = Array.from({ length: EACH }, () => {
    const [one = '', other = ''] = random.shuffled(things);
    if (random.next() < 0.3) return { text: random.pick(ON_TWO)(one, other), things: [one, other] };
    return { text: random.pick(ON_ONE)(one), things: [one] };
  });
  const none = random
    .shuffled(ON_NOTHING)
    .slice(0, EACH)
    .map((text): Prompt => ({ text, things: [] }));
  return random.shuffled([...some, ...none]);
}
