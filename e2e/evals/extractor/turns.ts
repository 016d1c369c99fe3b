import type { Random } from '../search/random.ts';

/** A fact that a turn states. */
export interface Label {
  readonly subject: string;
  readonly predicate: string;
  readonly value: string;
}

/** A typed turn with what it states. */
export interface LabelledTurn {
  readonly text: string;
  readonly facts: readonly Label[];
}

const THINGS = [
  'billing service',
  'search api',
  'staging',
  'production',
  'orders database',
  'docs site',
  'mail worker',
  'mobile backend',
];
const HOSTS = ['Render', 'Fly.io', 'Hetzner', 'AWS', 'Heroku', 'Azure', 'Netlify'];
const CITIES = ['Frankfurt', 'Oregon', 'Dublin', 'Tokyo', 'Paris'];
const PEOPLE = ['Anna', 'Bob', 'Chen', 'Dana', 'Erik', 'Fatima', 'Grace'];
const TOOLS = ['pnpm', 'Vitest', 'Biome', 'Postgres', 'Redis', 'Kysely', 'Playwright', 'esbuild', 'Tailwind'];
const PORTS = ['3000', '4321', '5432', '8080', '9200'];
const VERSIONS = ['1.4.2', '18.2', '2.0.0', '20.11', '5.9'];

type Draw = (pick: <One>(from: readonly One[]) => One) => LabelledTurn;

const fact = (text: string, subject: string, predicate: string, value: string): LabelledTurn => ({
  text,
  facts: [{ subject, predicate, value }],
});

/** Ways to state a fact outright. */
const STATED: readonly Draw[] = [
  (pick) => {
    const [t, v] = [pick(THINGS), pick(HOSTS)];
    return fact(`${t} is deployed on ${v}`, t, 'deployed_to', v);
  },
  (pick) => {
    const [t, v] = [pick(THINGS), pick(HOSTS)];
    return fact(`FYI the ${t} runs on ${v} now.`, t, 'deployed_to', v);
  },
  (pick) => {
    const [t, v] = [pick(THINGS), pick(HOSTS)];
    return fact(`We host the ${t} on ${v}.`, t, 'deployed_to', v);
  },
  (pick) => {
    const [t, v] = [pick(THINGS), pick(HOSTS)];
    return fact(`Since last week our ${t} lives on ${v}.`, t, 'deployed_to', v);
  },
  (pick) => {
    const [t, v] = [pick(THINGS), pick(CITIES)];
    return fact(`The ${t}'s region is ${v}.`, t, 'region', v);
  },
  (pick) => {
    const [t, v] = [pick(THINGS), pick(CITIES)];
    return fact(`Remember that the ${t} is located in ${v}.`, t, 'region', v);
  },
  (pick) => {
    const [t, v] = [pick(THINGS), pick(PEOPLE)];
    return fact(`${v} owns the ${t}.`, t, 'owner', v);
  },
  (pick) => {
    const [t, v] = [pick(THINGS), pick(PEOPLE)];
    return fact(`The ${t} is maintained by ${v}.`, t, 'owner', v);
  },
  (pick) => {
    const [t, v] = [pick(THINGS), pick(PEOPLE)];
    return fact(`${v} is responsible for the ${t} from now on.`, t, 'owner', v);
  },
  (pick) => {
    const [t, v] = [pick(THINGS), pick(PORTS)];
    return fact(`the ${t} listens on port ${v}`, t, 'port', v);
  },
  (pick) => {
    const [t, v] = [pick(THINGS), pick(PORTS)];
    return fact(`The port of the ${t} is ${v}.`, t, 'port', v);
  },
  (pick) => {
    const [t, v] = [pick(THINGS), pick(PORTS)];
    return fact(`You reach the ${t} at port ${v}.`, t, 'port', v);
  },
  (pick) => {
    const v = pick(TOOLS);
    return fact(`We use ${v} here.`, 'project', 'uses', v);
  },
  (pick) => {
    const v = pick(TOOLS);
    return fact(`We're using ${v}, by the way.`, 'project', 'uses', v);
  },
  (pick) => {
    const v = pick(TOOLS);
    return fact(`This project is built with ${v}.`, 'project', 'uses', v);
  },
  (pick) => {
    const v = pick(TOOLS);
    return fact(`We switched to ${v} last month.`, 'project', 'uses', v);
  },
  (pick) => {
    const v = pick(TOOLS);
    return fact(`Our stack relies on ${v}.`, 'project', 'uses', v);
  },
  (pick) => {
    const v = pick(TOOLS);
    return fact(`I prefer ${v}.`, 'person', 'prefers', v);
  },
  (pick) => {
    const v = pick(VERSIONS);
    return fact(`The Node version is ${v}.`, 'Node', 'version', v);
  },
  (pick) => {
    const v = pick(VERSIONS);
    return fact(`We upgraded React to ${v}.`, 'React', 'version', v);
  },
  (pick) => {
    const v = pick(VERSIONS);
    return fact(`TypeScript is pinned to ${v}.`, 'TypeScript', 'version', v);
  },
  (pick) => {
    const v = pick(['Heron', 'Falcon', 'Otter']);
    return fact(`The codename of the release is ${v}.`, 'release', 'codename', v);
  },
  (pick) => {
    const v = pick(['trunk', 'main', 'develop']);
    return fact(`Our default branch is ${v}.`, 'project', 'default branch', v);
  },
  (pick) => {
    const v = pick(PEOPLE);
    return fact(`Our designer is ${v}.`, 'project', 'designer', v);
  },
  (pick) => {
    const v = pick(['Europe/Berlin', 'Asia/Tokyo', 'America/Denver']);
    return fact(`My timezone is ${v}.`, 'person', 'timezone', v);
  },
  (pick) => {
    const v = pick(['30 days', '90 days', '2 weeks']);
    return fact(`The retention of the audit log is ${v}.`, 'audit log', 'retention', v);
  },
  (pick) => {
    const v = pick(['EUR', 'USD', 'CHF']);
    return fact(`The currency for invoices is ${v}.`, 'invoices', 'currency', v);
  },
  (pick) => {
    const t = pick(['webhook retry code', 'generated client', 'legacy importer']);
    const o = `do not touch the ${t}`;
    return fact(`${o[0]?.toUpperCase()}${o.slice(1)}.`, 'project', 'must_not', o);
  },
  (pick) => {
    const t = pick(['conventional commits', 'British spelling', 'named exports']);
    const o = `Always use ${t}`;
    return fact(`${o}.`, 'project', 'must', o);
  },
  (pick) => {
    const t = pick(['feature flags', 'server components', 'one repository']);
    const o = `We decided to go with ${t}`;
    return fact(`${o}.`, 'project', 'decided', o);
  },
];

/** What is typed without stating anything. */
const SILENT: readonly ((pick: <One>(from: readonly One[]) => One) => string)[] = [
  (pick) => `Where is the ${pick(THINGS)} deployed?`,
  (pick) => `Fix the failing test of the ${pick(THINGS)}.`,
  (pick) => `Could we use ${pick(TOOLS)} for that?`,
  (pick) => `Maybe the ${pick(THINGS)} should run on ${pick(HOSTS)}.`,
  (pick) => `Move the config of the ${pick(THINGS)} to a file of its own.`,
  (pick) => `The log says the ${pick(THINGS)} is down, have a look.`,
  (pick) => `If we use ${pick(TOOLS)} the build gets slower, right?`,
  (pick) => `Add a port option to the ${pick(THINGS)}.`,
  (pick) => `I think ${pick(PEOPLE)} broke it yesterday.`,
  (pick) => `Compare ${pick(TOOLS)} with ${pick(TOOLS)} for our case.`,
  (pick) => `Write a test that fails when the ${pick(THINGS)} answers with 500.`,
  () => 'yes, go ahead',
  () => 'that did not work, try again',
  () => 'Rename the variable and run the tests.',
  () => 'Why is this function async?',
  (pick) => `What would it take to move the ${pick(THINGS)} to ${pick(HOSTS)}?`,
  (pick) => `Don't commit yet, I want to look at the ${pick(THINGS)} first.`,
  (pick) => `Explain how ${pick(TOOLS)} resolves modules.`,
  (pick) => `The ${pick(THINGS)} is slow today.`,
  (pick) => `Ask ${pick(PEOPLE)} before you merge this branch.`,
];

const AROUND = [
  'Add a health check.',
  'Please update the readme.',
  'Then run the tests.',
  'Fix the typo in the title.',
];

/** So many turns of a seed, half of them with a fact. */
export function turnsOf(random: Random, count: number): readonly LabelledTurn[] {
  const pick = <One>(from: readonly One[]) => random.pick(from);
  const turns = Array.from({ length: count }, (_, at): LabelledTurn => {
    if (at % 2 === 1) return { text: random.pick(SILENT)(pick), facts: [] };
    const first = random.pick(STATED)(pick);
    const chance = random.next();
    if (chance < 0.25)
      return { ...first, text: `${first.text.replace(/[.]?$/u, '.')} ${random.pick(AROUND)}` };
    if (chance < 0.4) return { ...first, text: `${random.pick(AROUND)} ${first.text}` };
    if (chance < 0.5) {
      const second = random.pick(STATED)(pick);
      return {
        text: `${first.text.replace(/[.]?$/u, '.')} ${second.text}`,
        facts: [...first.facts, ...second.facts],
      };
    }
    return first;
  });
  return random.shuffled(turns);
}
