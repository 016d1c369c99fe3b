import type { Fault, FaultRule } from './faults.ts';
import { asNumber, asObject, asObjects, asString, type Json, type JsonObject, parseJson } from './json.ts';
import { RULES, type Rules } from './rules.ts';
import type { Scenario } from './script/types.ts';
import type { LoggedAnswer, LoggedRequest } from './wire/log.ts';
import type { Settings, World } from './world.ts';

/** An answer of the control paths. */
export type ControlAnswer = { readonly status: number; readonly body: unknown };

/** Steers a simulator over HTTP; the paths and bodies are listed in README.md. */
export async function controlAnswer(
  method: string,
  target: string,
  bytes: Buffer,
  world: World,
  reset: () => void,
): Promise<ControlAnswer> {
  const url = new URL(target, 'http://simulator');
  const name = url.pathname.replace('/__simulator', '').replace(/^\//, '');
  const body = bytes.length === 0 ? {} : parseJson(bytes.toString());
  if (body === undefined) return refuse('The body is not JSON.');
  switch (`${method} ${name.split('/')[0]}`) {
    case 'GET requests':
      return requests(name, url, world);
    case 'DELETE requests':
      world.log.clear();
      return done();
    case 'POST scenarios':
      return addScenarios(body, world);
    case 'DELETE scenarios':
      world.model.clear();
      return done();
    case 'POST faults':
      return addFaults(body, world);
    case 'DELETE faults':
      world.faults.clear();
      return done();
    case 'GET clock':
      return { status: 200, body: { nowMs: world.clock.now() } };
    case 'POST clock':
      return advance(body, world);
    case 'POST gates':
      return moveGates(body, world);
    case 'GET settings':
      return { status: 200, body: world.settings };
    case 'PATCH settings':
      return changeSettings(body, world);
    case 'POST reset':
      reset();
      return done();
    default:
      return { status: 404, body: { error: `No control path ${method} ${url.pathname}.` } };
  }
}

function done(): ControlAnswer {
  return { status: 200, body: { ok: true } };
}

function refuse(error: string): ControlAnswer {
  return { status: 400, body: { error } };
}

async function requests(name: string, url: URL, world: World): Promise<ControlAnswer> {
  const number = Number(name.split('/')[1] ?? Number.NaN);
  if (!Number.isNaN(number)) {
    const entry = world.log.entries.find((other) => other.number === number);
    return entry === undefined
      ? { status: 404, body: { error: 'No such request.' } }
      : { status: 200, body: view(entry) };
  }
  const after = Number(url.searchParams.get('after') ?? 0);
  const waitMs = Number(url.searchParams.get('waitMs') ?? 0);
  if (waitMs > 0) {
    const isEnded = (entry: LoggedRequest) => entry.number > after && entry.answer?.ending !== undefined;
    await world.log.waitFor(isEnded, waitMs).catch(() => undefined);
  }
  const found = world.log.entries.filter((entry) => entry.number > after);
  return { status: 200, body: { requests: found.map(view) } };
}

/** A log entry as JSON: bodies in base64, everything else as it is, `null` for what is not known. */
function view(entry: LoggedRequest) {
  const { body, answer, reading, fault, clientClosedAtMs, usage, charge, ...rest } = entry;
  return {
    ...rest,
    bodyBase64: body.toString('base64'),
    reading: reading ?? null,
    fault: fault ?? null,
    clientClosedAtMs: clientClosedAtMs ?? null,
    usage: usage ?? null,
    charge: charge ?? null,
    answer: answer === undefined ? null : answerView(answer),
  };
}

function answerView(answer: LoggedAnswer) {
  const { body, endedAtMs, ending, ...rest } = answer;
  return {
    ...rest,
    endedAtMs: endedAtMs ?? null,
    ending: ending ?? null,
    bodyBase64: body.toString('base64'),
  };
}

function addScenarios(body: Json, world: World): ControlAnswer {
  const scenarios = Array.isArray(body) ? asObjects(body) : asObjects([body]);
  for (const scenario of scenarios) {
    const rounds = asObjects(scenario.rounds);
    const isWhole = rounds.length > 0 && rounds.every((round) => Array.isArray(round.steps));
    if (asString(scenario.id) === undefined || asObject(scenario.when) === undefined || !isWhole) {
      return refuse('A scenario needs `id`, `when` and at least one round with `steps`.');
    }
  }
  for (const scenario of scenarios) world.model.add(scenario as unknown as Scenario);
  return done();
}

function addFaults(body: Json, world: World): ControlAnswer {
  const rules = Array.isArray(body) ? asObjects(body) : asObjects([body]);
  if (!rules.every((rule) => asString(asObject(rule.fault)?.kind) !== undefined)) {
    return refuse('A fault rule needs `fault` with a `kind`.');
  }
  for (const rule of rules) world.faults.add(rule as unknown as FaultRule & { fault: Fault });
  return done();
}

function advance(body: Json, world: World): ControlAnswer {
  const ms = asNumber(asObject(body)?.advanceMs);
  if (ms === undefined || ms < 0) return refuse('`advanceMs` must be a number of milliseconds, 0 or more.');
  world.clock.advance(ms);
  return { status: 200, body: { nowMs: world.clock.now() } };
}

function moveGates(body: Json, world: World): ControlAnswer {
  const open = asString(asObject(body)?.open);
  const shut = asString(asObject(body)?.shut);
  if (open === undefined && shut === undefined) return refuse('Name a gate in `open` or `shut`.');
  if (open !== undefined) world.gates.open(open);
  if (shut !== undefined) world.gates.shut(shut);
  return done();
}

function changeSettings(body: Json, world: World): ControlAnswer {
  const changes: JsonObject = asObject(body) ?? {};
  const unknown = Object.keys(changes).find((key) => !(key in world.settings));
  if (unknown !== undefined) return refuse(`There is no setting \`${unknown}\`.`);
  const rules = asObject(changes.rules) ?? {};
  const unknownRule = Object.keys(rules).find((key) => !(key in RULES));
  if (unknownRule !== undefined) return refuse(`There is no rule \`${unknownRule}\`.`);
  const { rules: _rules, ...rest } = changes;
  Object.assign(world.settings, rest as unknown as Partial<Settings>);
  if (rest.requiredKey === null) world.settings.requiredKey = undefined;
  world.settings.rules = { ...world.settings.rules, ...(rules as unknown as Partial<Rules>) };
  return { status: 200, body: world.settings };
}
