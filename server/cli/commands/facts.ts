import { CliFailure, EXIT } from '../failure.ts';
import { findAddress, mustAnswer } from '../gateway/client.ts';
import { changeFacts, type FactChange, listFacts, projectNamed, wouldTakeBack } from '../gateway/facts.ts';
import type { Output } from '../output.ts';
import type { World } from '../world.ts';

/** What every command about facts is given. */
interface Given {
  readonly project: string | undefined;
  readonly gateway: string | undefined;
}

/** Prints facts: those that hold, or with `all` closed ones too. @returns 0. @throws CliFailure `noGateway`, or `refused` */
export async function facts(
  world: World,
  output: Output,
  options: Given & {
    readonly query: string;
    readonly all: boolean;
    readonly at: string | undefined;
    readonly limit: number | undefined;
  },
): Promise<0> {
  const { url } = await mustAnswer(world, await findAddress(world, options.gateway));
  const { query, all, at, project, limit } = options;
  const found = await listFacts(world, url, {
    status: all ? 'all' : 'open',
    ...(query === '' ? {} : { q: query }),
    ...(at === undefined ? {} : { validAt: at }),
    ...(project === undefined ? {} : { project: await projectNamed(world, url, project) }),
    ...(limit === undefined ? {} : { limit: String(limit) }),
  });
  for (const { id, subject, predicate, object, validFrom, validTo, place } of found.facts) {
    output.line(`${subject}  ${predicate}  ${object}`.replace(/\n/g, ' '));
    output.line(`    ${validFrom} – ${validTo ?? 'now'}  ${place}  ${id}`);
  }
  if (found.facts.length === 0) output.line('No fact was found.');
  if (found.more) output.line('(There are more: narrow the words, or give --limit.)');
  output.result({ ok: true, exitCode: 0, ...(typeof found.answer === 'object' ? found.answer : {}) });
  return 0;
}

/** States a fact by hand. @returns 0. @throws CliFailure `usage`, `noGateway`, or `refused` */
export async function remember(
  world: World,
  output: Output,
  options: Given & { readonly words: readonly string[] },
): Promise<0> {
  const [subject, predicate, object] = tripleIn(options.words);
  const { url } = await mustAnswer(world, await findAddress(world, options.gateway));
  const place =
    options.project === undefined ? {} : { place: await projectNamed(world, url, options.project) };
  const change = await changeFacts(world, url, '/facts', { subject, predicate, object, ...place });
  told(output, change);
  return 0;
}

/** Subject, predicate and object: three arguments, or the words of one text in this order. */
function tripleIn(words: readonly string[]): readonly [string, string, string] {
  const [subject = '', predicate = '', ...rest] = words.length >= 3 ? words : words.join(' ').split(/\s+/);
  const object = rest.join(' ');
  if (object !== '') return [subject, predicate, object];
  throw new CliFailure(
    EXIT.usage,
    'A fact has a subject, a predicate and an object.',
    'For example: context-mode remember production deployed_to "Render, Oregon region".',
  );
}

/**
 * Makes a closed fact true again, from its close until now and on.
 * @returns 0. @throws CliFailure `notAgreed` where it takes something back and nobody agreed, `noGateway`, `refused`
 */
export async function reopen(
  world: World,
  output: Output,
  options: { readonly fact: string; readonly yes: boolean; readonly gateway: string | undefined },
): Promise<0> {
  const { url } = await mustAnswer(world, await findAddress(world, options.gateway));
  const takes = await wouldTakeBack(world, url, options.fact);
  if (takes.length > 0) output.line(`This takes back: ${takes.join(', ')}.`);
  if (takes.length > 0 && !options.yes)
    throw new CliFailure(EXIT.notAgreed, 'Something would be taken back.', 'Run it again with --yes.');
  const change = await changeFacts(world, url, `/facts/${encodeURIComponent(options.fact)}/reopen`);
  told(output, change);
  return 0;
}

function told(output: Output, { opened, closed, written, answer }: FactChange): void {
  if (closed.length > 0) output.line(`Closed or changed: ${closed.join(', ')}.`);
  output.line(opened.length > 0 ? `Holds now: ${opened.join(', ')}.` : 'It was known.');
  if (written.length > 0) output.line(`(Undo in the console, or by its statements: ${written.join(',')}.)`);
  output.result({ ok: true, exitCode: 0, ...(typeof answer === 'object' ? answer : {}) });
}
