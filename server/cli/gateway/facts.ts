import { CliFailure, EXIT } from '../failure.ts';
import type { World } from '../world.ts';
import { ask, checked, fieldOf, keyHeaders, textAt } from './client.ts';

/** How long the gateway may take to answer. */
const CALL_MS = 10_000;

/** A fact as it is listed. */
export interface ListedFact {
  readonly id: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly validFrom: string;
  /** Null: it is still true. */
  readonly validTo: string | null;
  readonly place: string;
}

/** What an act opened and closed, by value, and the answer as it came. */
export interface FactChange {
  readonly opened: readonly string[];
  readonly closed: readonly string[];
  readonly takenBack: readonly string[];
  readonly written: readonly string[];
  readonly answer: unknown;
}

/** Facts by the filters of `GET /facts`. @throws CliFailure where the gateway does not answer them */
export async function listFacts(
  world: World,
  url: string,
  query: Readonly<Record<string, string>>,
): Promise<{ readonly facts: readonly ListedFact[]; readonly more: boolean; readonly answer: unknown }> {
  const { body } = checked(
    url,
    await ask(world, url, `/api/v1/facts?${new URLSearchParams(query)}`, CALL_MS),
  );
  const facts = listAt(body, 'items').map((item) => ({
    id: textAt(item, 'id') ?? '',
    subject: textAt(item, 'subject') ?? '',
    predicate: textAt(item, 'predicate') ?? '',
    object: textAt(item, 'object') ?? '',
    validFrom: textAt(item, 'validFrom') ?? '',
    validTo: textAt(item, 'validTo'),
    place: textAt(fieldOf(item, 'place'), 'name') ?? '',
  }));
  return { facts, more: textAt(body, 'next') !== null, answer: body };
}

/** The id of a project by its name or id. @throws CliFailure where there is none, or several of that name */
export async function projectNamed(world: World, url: string, name: string): Promise<string> {
  const { body } = checked(url, await ask(world, url, '/api/v1/projects', CALL_MS));
  const all = listAt(body, 'items');
  const found = all.filter((one) => textAt(one, 'id') === name || textAt(one, 'name') === name);
  const [only, another] = found;
  if (only !== undefined && another === undefined) return textAt(only, 'id') ?? '';
  const names = all.map((one) => `${textAt(one, 'name')} (${textAt(one, 'id')})`).join(', ');
  throw new CliFailure(
    EXIT.refused,
    only === undefined ? `There is no project "${name}".` : `Several projects are called "${name}".`,
    `Give --project with one of these names or ids: ${names || 'none yet'}.`,
  );
}

/** States a fact, or acts on one: `path` is below `/api/v1`. @throws CliFailure where the gateway refuses it */
export async function changeFacts(
  world: World,
  url: string,
  path: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<FactChange> {
  const query = Object.keys(fields).length === 0 ? '' : `?${new URLSearchParams(fields)}`;
  const headers = await keyHeaders(world, url);
  const { body } = checked(url, await world.post(`${url}/api/v1${path}${query}`, CALL_MS, headers));
  const values = (name: string) => listAt(body, name).map((one) => textAt(one, 'object') ?? '');
  return {
    opened: values('opened'),
    closed: values('closed'),
    takenBack: values('takenBack'),
    written: listAt(body, 'written').map(String),
    answer: body,
  };
}

/** What reopening a fact would take back. @throws CliFailure where there is no such fact */
export async function wouldTakeBack(world: World, url: string, fact: string): Promise<readonly string[]> {
  const path = `/api/v1/facts/${encodeURIComponent(fact)}/reopen`;
  const { body } = checked(url, await ask(world, url, path, CALL_MS));
  return listAt(body, 'takenBack').map((one) => textAt(one, 'object') ?? '');
}

function listAt(value: unknown, name: string): readonly unknown[] {
  const list = fieldOf(value, name);
  return Array.isArray(list) ? list : [];
}
