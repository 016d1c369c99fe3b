import type { Random } from '../search/random.ts';

/** A fact that is said, changed, and asked for. `{old}` and `{v}` stand for its values. */
export interface Told {
  readonly thing: string;
  readonly first: string;
  readonly changes: readonly string[];
  readonly question: string;
  readonly values: readonly string[];
}

/** A sentence that is typed. */
export interface Typed {
  readonly fact: number;
  readonly text: string;
  readonly value: string;
}

/** A play: sentences in their order, and what is asked behind them. */
export interface Play {
  readonly typed: readonly Typed[];
  readonly asked: readonly { readonly fact: number; readonly question: string }[];
  /** By fact: the values that it had, in order; the last one holds. */
  readonly values: readonly (readonly string[])[];
  /** By fact: the words that name what it is of. */
  readonly things: readonly string[];
}

const HOSTS = ['Render', 'Fly', 'Heroku', 'Hetzner', 'Railway', 'Vercel', 'Scaleway', 'Northflank'];
const CITIES = ['Frankfurt', 'Oregon', 'Dublin', 'Tokyo', 'Montreal', 'Warsaw', 'Oslo', 'Lisbon'];
const PEOPLE = ['Lucia', 'Marek', 'Ingrid', 'Tomas', 'Yuki', 'Priya', 'Noor', 'Felix'];
const PORTS = ['4100', '4711', '5050', '6120', '7331', '8088', '9009', '9443'];
const VERSIONS = ['14.2', '15.1', '16.4', '17.0', '18.3', '20.9', '22.4', '24.1'];
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const NUMBERS = ['15', '20', '25', '30', '45', '60', '90', '120'];

const deployed = (thing: string): Told => ({
  thing,
  first: `The ${thing} is deployed to {v}.`,
  changes: [
    `We moved the ${thing} from {old} to {v}.`,
    `The ${thing} is now deployed to {v}.`,
    `The ${thing} moved to {v}.`,
    `The ${thing} has been migrated from {old} to {v}.`,
  ],
  question: `Where is the ${thing} deployed?`,
  values: HOSTS,
});
const hosted = (thing: string): Told => ({
  thing,
  first: `The ${thing} is hosted in {v}.`,
  changes: [
    `The ${thing} is now hosted in {v}.`,
    `We moved the ${thing} from {old} to {v}.`,
    `The ${thing} was moved from {old} to {v}.`,
  ],
  question: `In which region is the ${thing} hosted?`,
  values: CITIES,
});
const owned = (thing: string): Told => ({
  thing,
  first: `{v} owns the ${thing}.`,
  changes: [`{v} took over the ${thing} from {old}.`, `The ${thing} is now owned by {v}.`],
  question: `Who owns the ${thing}?`,
  values: PEOPLE,
});
const listens = (thing: string): Told => ({
  thing,
  first: `The ${thing} listens on port {v}.`,
  changes: [`The ${thing} now listens on port {v}.`, `The ${thing} is now on port {v}.`],
  question: `Which port does the ${thing} listen on?`,
  values: PORTS,
});
const property = (thing: string, what: string, values: readonly string[], unit = ''): Told => ({
  thing,
  first: `The ${what} of the ${thing} is {v}${unit}.`,
  changes: [
    `The ${what} of the ${thing} is now {v}${unit}.`,
    `The ${what} of the ${thing} was changed to {v}${unit}.`,
    `The ${thing}'s ${what} is now {v}${unit}.`,
  ],
  question: `What is the ${what} of the ${thing}?`,
  values,
});

/** Twenty-four things of one repository. */
const THINGS: readonly Told[] = [
  deployed('production database'),
  deployed('staging backend'),
  deployed('docs site'),
  deployed('demo app'),
  hosted('billing api'),
  hosted('search cluster'),
  hosted('metrics storage'),
  owned('checkout flow'),
  owned('invoice export'),
  owned('mobile login'),
  owned('webhook relay'),
  listens('admin api'),
  listens('mail worker'),
  listens('image proxy'),
  property('orders table', 'retention', NUMBERS, ' days'),
  property('upload form', 'limit', NUMBERS, ' MB'),
  property('nightly import', 'timeout', NUMBERS, ' minutes'),
  property('beta program', 'deadline', DAYS),
  property('support rotation', 'lead', PEOPLE),
  property('android client', 'version', VERSIONS),
  property('payment sdk', 'version', VERSIONS),
  property('design system', 'maintainer', PEOPLE),
  property('german shop', 'codename', ['Heron', 'Falcon', 'Otter', 'Badger', 'Marten', 'Puffin', 'Lynx']),
  property('release train', 'cadence', ['weekly', 'monthly', 'daily', 'quarterly', 'biweekly']),
];

/** So many facts are changed so often in all. */
const CHANGES = 38;

/** A play of a seed: the first sayings of all facts, then the changes, in an order of the seed. */
export function playOf(random: Random): Play {
  const values = THINGS.map((thing) => [random.pick(thing.values)]);
  const typed: Typed[] = THINGS.map(({ first }, fact) => {
    const value = values[fact]?.[0] ?? '';
    return { fact, value, text: first.replace('{v}', value) };
  });
  const changed = Array.from({ length: CHANGES }, (_, at) =>
    at < THINGS.length ? at : random.below(THINGS.length),
  );
  for (const fact of random.shuffled(changed)) {
    const thing = THINGS[fact];
    const had = values[fact];
    if (thing === undefined || had === undefined) continue;
    const old = had.at(-1) ?? '';
    const fresh = thing.values.filter((value) => !had.includes(value));
    const value = random.pick(fresh.length > 0 ? fresh : thing.values.filter((one) => one !== old));
    had.push(value);
    typed.push({ fact, value, text: random.pick(thing.changes).replace('{old}', old).replace('{v}', value) });
  }
  return {
    typed,
    asked: THINGS.map(({ question }, fact) => ({ fact, question })),
    values,
    things: THINGS.map(({ thing }) => thing),
  };
}
