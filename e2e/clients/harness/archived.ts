import { expect } from 'vitest';
import { eventually } from '../../product/eventually.ts';
import type { ArchiveClient, LogRowView, SessionView } from './archive.ts';
import type { Json } from './normalise.ts';
import type { Spoken, SpokenCall } from './spoken.ts';

/** What a session of the archive must hold. */
export interface Expected {
  /** Every text that was typed on the main line, each exactly once, in order. */
  readonly typed: readonly string[];
  /** Tasks that the agent gave to its sub-agents. */
  readonly delegated: readonly string[];
  readonly spoken: Spoken;
  /**
   * The agent wrote its history anew (a compaction): what it kept of it stands in the log a second time, so words and
   * answers are looked for in their order among others.
   */
  readonly rewritten: boolean;
}

/** A session with its log, once everything expected stands in it. Side requests' threads are left out of the log. */
export interface ArchivedSession {
  readonly session: SessionView;
  readonly log: readonly LogRowView[];
  /** Threads of main line and sub-agents. */
  readonly threads: readonly string[];
}

/**
 * Waits until the archive holds one session where `find` looks, with every typed word, answer, thought and tool call,
 * and asserts that each document gives back exactly what was said.
 */
export function expectArchived(
  archive: ArchiveClient,
  find: () => Promise<readonly SessionView[]>,
  expected: Expected,
): Promise<ArchivedSession> {
  return eventually(async () => {
    const sessions = await find();
    expect(sessions.length, 'sessions of the agent').toBe(1);
    const session = sessions[0] as SessionView;
    const all = await archive.log(session.id);
    const positions = all.map((row) => row.seq);
    expect(positions, 'log positions ascend from 1 without gaps').toEqual(all.map((_, index) => index + 1));
    const side = await sideThreads(archive, session.id);
    const log = all.filter((row) => !side.has(row.thread));
    await expectWords(archive, log, expected);
    for (const call of expected.spoken.calls) await expectCall(archive, log, call);
    return { session, log, threads: [...new Set(log.map((row) => row.thread))] };
  });
}

/** Threads that hold side requests of the agent (titles, compactions): neither turns nor sub-agents. */
async function sideThreads(archive: ArchiveClient, sessionId: string): Promise<ReadonlySet<string>> {
  const requests = await archive.requests(sessionId);
  const turns = requests.filter((request) => request.kind === 'main' || request.kind === 'subagent');
  const taken = new Set(turns.map((request) => request.thread));
  return new Set(requests.flatMap(({ thread }) => (thread === null || taken.has(thread) ? [] : [thread])));
}

async function expectWords(
  archive: ArchiveClient,
  log: readonly LogRowView[],
  expected: Expected,
): Promise<void> {
  const main = log.filter((row) => row.thread === 'main');
  const others = log.filter((row) => row.thread !== 'main');
  const typed = await texts(archive, main, 'input');
  const answers = await texts(archive, withoutBrokenOff(log), 'answer');
  if (expected.rewritten) {
    expect(typed.filter(isFirst), 'typed words').toEqual(expected.typed);
    for (const answer of expected.spoken.answers) expect(answers, 'answers').toContain(answer);
  } else {
    expect(typed, 'typed words').toEqual(expected.typed);
    expect([...answers].sort(), 'answers').toEqual([...expected.spoken.answers].sort());
  }
  const reasoning = await texts(archive, log, 'reasoning');
  for (const thought of expected.spoken.reasoning) expect(reasoning, 'thoughts').toContain(thought);
  const tasks = await Promise.all(others.map((row) => textOf(archive, row)));
  for (const task of expected.delegated) expect(tasks, 'tasks of sub-agents').toContain(task);
}

/** A log without the rows of answers that broke off: they stand right before the mark that says so. */
function withoutBrokenOff(log: readonly LogRowView[]): readonly LogRowView[] {
  const marks = log.filter((row) => row.kind === 'partial_answer');
  const brokenOff = ({ kind, thread, at }: LogRowView) =>
    kind === 'answer' && marks.some((mark) => mark.thread === thread && mark.at === at);
  return log.filter((row) => !brokenOff(row));
}

function isFirst(text: string, index: number, all: readonly string[]): boolean {
  return all.indexOf(text) === index;
}

/** The stored texts of all rows of a kind, in the log's order, read back as raw bytes. */
async function texts(
  archive: ArchiveClient,
  log: readonly LogRowView[],
  kind: string,
): Promise<readonly string[]> {
  return Promise.all(log.filter((row) => row.kind === kind).map((row) => textOf(archive, row)));
}

async function textOf(archive: ArchiveClient, row: LogRowView): Promise<string> {
  return row.docid === null ? row.body : (await archive.raw(row.docid)).toString('utf8');
}

/** The call's document has its name and input; its result is read under the call's id where the call has just one. */
async function expectCall(
  archive: ArchiveClient,
  log: readonly LogRowView[],
  call: SpokenCall,
): Promise<void> {
  const rows = log.filter((row) => row.callId === call.callId);
  const made = rows.find((row) => row.kind === 'tool_call');
  const name = `${call.name} ${call.callId}`;
  expect(made, `row of the call ${name}`).toBeDefined();
  const document = await archive.document(made?.docid ?? '');
  expect(document.tool, `tool of ${name}`).toBe(call.name);
  expect(inputOf(document.input), `input of ${name}`).toEqual(call.input);
  if (call.result === null) return;
  const results = await texts(archive, rows, 'tool_result');
  if (call.result.length > 1) {
    for (const part of call.result) expect(results.join('\n'), `result of ${name}`).toContain(part);
    return;
  }
  const [result = ''] = call.result;
  expect(results, `results of ${name}`).toContain(result);
  if (new Set(results).size === 1) expect(document.text, `result of ${name}`).toBe(result);
}

function inputOf(text: string | null): Json {
  if (text === null) return null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
