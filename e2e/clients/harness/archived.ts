import { expect } from 'vitest';
import { type ArchiveClient, eventually, type LogRowView, type SessionView } from './archive.ts';
import type { Json } from './normalise.ts';
import type { Spoken, SpokenCall } from './spoken.ts';

/** What a session of the archive must hold. */
export interface Expected {
  /** Every text that was typed on the main line, each exactly once, in order. */
  readonly typed: readonly string[];
  /** Tasks that the agent gave to its sub-agents. */
  readonly delegated: readonly string[];
  readonly spoken: Spoken;
}

/** A session with its log, once everything expected stands in it. */
export interface ArchivedSession {
  readonly session: SessionView;
  readonly log: readonly LogRowView[];
}

/**
 * Waits until the archive holds one session of the agent's id with every typed word, answer, thought and tool call,
 * and asserts that each document gives back exactly what was said.
 */
export function expectArchived(
  archive: ArchiveClient,
  clientSessionId: string,
  expected: Expected,
): Promise<ArchivedSession> {
  return eventually(async () => {
    const sessions = await archive.sessionsOf(clientSessionId);
    expect(sessions.length, `sessions with the agent’s id ${clientSessionId}`).toBe(1);
    const session = sessions[0] as SessionView;
    const log = await archive.log(session.id);
    expect(
      log.map((row) => row.seq),
      'log positions ascend without gaps',
    ).toEqual(log.map((_, index) => (log[0]?.seq ?? 0) + index));
    const main = log.filter((row) => row.thread === 'main');
    const threads = log.filter((row) => row.thread !== 'main');
    expect(await texts(archive, main, 'input'), 'typed words').toEqual(expected.typed);
    const tasks = await Promise.all(threads.map((row) => textOf(archive, row)));
    for (const task of expected.delegated) expect(tasks, 'tasks of sub-agents').toContain(task);
    const answers = await texts(archive, log, 'answer');
    expect([...answers].sort(), 'answers').toEqual([...expected.spoken.answers].sort());
    const reasoning = await texts(archive, log, 'reasoning');
    for (const thought of expected.spoken.reasoning) expect(reasoning, 'thoughts').toContain(thought);
    for (const call of expected.spoken.calls) await expectCall(archive, log, call);
    return { session, log };
  });
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

async function expectCall(
  archive: ArchiveClient,
  log: readonly LogRowView[],
  call: SpokenCall,
): Promise<void> {
  const rows = log.filter((row) => row.kind === 'tool_call' && row.callId === call.callId);
  expect(rows.length, `rows of the call ${call.name} ${call.callId}`).toBe(1);
  const docid = rows[0]?.docid ?? '';
  const document = await archive.document(docid);
  expect(document.tool, `tool of ${call.callId}`).toBe(call.name);
  expect(inputOf(document.input), `input of ${call.name} ${call.callId}`).toEqual(call.input);
  if (call.result === null) return;
  if (call.result.length === 1) expect(document.text, `result of ${call.name}`).toBe(call.result[0]);
  else for (const part of call.result) expect(document.text, `result of ${call.name}`).toContain(part);
}

function inputOf(text: string | null): Json {
  if (text === null) return null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
