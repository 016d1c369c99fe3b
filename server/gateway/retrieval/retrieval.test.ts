import { describe, expect, test } from 'vitest';
import type { Document, SearchFilter, SearchHit } from '../../archive/index.ts';
import type { DocId } from '../../conversation/index.ts';
import { type Millis, manualClock } from '../../kernel/clock.ts';
import { ContextModeError } from '../../kernel/errors.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { LATE_ANSWER } from '../../recall/index.ts';
import { manualTimers } from '../testing/timers.ts';
import { resultContent } from './result-content.ts';
import { createRetrieval, type RetrievalParts } from './retrieval.ts';
import { NO_ROOM, NOT_KEPT } from './texts.ts';
import type { Asking } from './types.ts';

const NOW = Date.UTC(2026, 9, 2, 14, 30);
const ACCOUNT = '00000000-0000-7000-8000-000000000001' as Uuid;
const SESSION = '00000000-0000-7000-8000-000000000002' as Uuid;
const PROJECT = '00000000-0000-7000-8000-000000000003' as Uuid;
const docid = (digit: string) => `context-mode-msg-${digit.repeat(16)}` as DocId;
const asking: Asking = {
  accountId: ACCOUNT,
  thread: { agent: 'claude-code', session: 'asking', thread: '' },
  timeZone: 'UTC',
};

function hit(more: Partial<SearchHit> = {}): SearchHit {
  return {
    docid: docid('a'),
    sessionId: SESSION,
    seq: 1,
    sessionTitle: 'This one',
    project: null,
    thread: 'main',
    kind: 'input',
    role: 'user',
    tool: null,
    path: null,
    at: (NOW - 60_000) as Millis,
    offset: 40,
    snippet: { text: 'the refund window is 14 days', marks: [] },
    score: 1,
    ...more,
  };
}

function document(more: Partial<Document> = {}): Document {
  return {
    docid: docid('a'),
    kind: 'input',
    role: 'user',
    tool: null,
    input: null,
    text: 'the text',
    offset: 0,
    length: 8,
    nextOffset: null,
    bytes: 8,
    sha256: '',
    at: (NOW - 60_000) as Millis,
    durationMs: null,
    sessionId: SESSION,
    seq: 1,
    resultSeq: null,
    place: null,
    masked: false,
    confirmed: true,
    media: [],
    sessions: { total: 1, items: [] },
    previous: null,
    next: null,
    ...more,
  };
}

/** A retrieval over an archive of which a test replaces what it needs. */
function setUp(
  archive: Partial<RetrievalParts['archive']> = {},
  projectId: Uuid | null = PROJECT,
  facts?: RetrievalParts['facts'],
) {
  const clock = manualClock(NOW);
  const timers = manualTimers(clock);
  const filters: SearchFilter[] = [];
  const retrieval = createRetrieval({
    archive: {
      findSession: async () => ({ sessionId: SESSION, projectId }),
      documentsIn: async (_account, _place, docids) => docids,
      search: async (_account, filter) => {
        filters.push(filter);
        return { items: [hit()], next: null, notes: [] };
      },
      readDocument: async () => ({ found: document() }),
      readBlob: async () => null,
      ...archive,
    },
    storedName: async ({ thread }) => thread.session,
    ...(facts === undefined ? {} : { facts }),
    clock,
    timers,
    estimate: (text) => Math.ceil(text.length / 4),
  });
  const ask = (input: object | string, tokens = 5_000) =>
    retrieval.answer(
      { id: 'call', input: typeof input === 'string' ? input : JSON.stringify(input) },
      asking,
      tokens,
    );
  return { ask, timers, filters };
}

describe('a search', () => {
  test('looks in the project of the conversation that asks, and without one in that conversation alone', async () => {
    const inProject = setUp();
    const { text, documents } = await inProject.ask({ q: 'refund' });
    expect(inProject.filters).toMatchObject([{ q: 'refund', projectId: PROJECT }]);
    expect(inProject.filters[0]).not.toHaveProperty('sessionId');
    expect(text).toContain(`${docid('a')} (user, 2026-10-02 14:29, from character 40)`);
    expect(documents).toEqual([docid('a')]);
    const alone = setUp({}, null);
    await alone.ask({ q: 'refund' });
    expect(alone.filters).toMatchObject([{ q: 'refund', sessionId: SESSION }]);
    expect(alone.filters[0]).not.toHaveProperty('projectId');
  });

  test('shows the facts that fit before the places, and names the documents that they were drawn from', async () => {
    const fact = { line: 'refund window: 30 days', docid: docid('f') };
    const { ask } = setUp({}, PROJECT, async (_asking, { projectId }, q) =>
      projectId === PROJECT && q === 'refund' ? [fact] : [],
    );
    const { text, documents } = await ask({ q: 'refund' });
    expect(text.indexOf('- refund window: 30 days')).toBeGreaterThan(0);
    expect(text.indexOf('- refund window')).toBeLessThan(text.indexOf(docid('a')));
    expect(documents).toEqual([docid('a'), docid('f')]);
    const none = setUp({ search: async () => ({ items: [], next: null, notes: [] }) }, PROJECT, async () => [
      fact,
    ]);
    expect((await none.ask({ q: 'refund' })).text).toContain('- refund window: 30 days');
    const failing = setUp({}, PROJECT, () => Promise.reject(new Error('memory is away')));
    expect((await failing.ask({ q: 'refund' })).text).toContain(docid('a'));
  });

  test('names the session of what stands elsewhere, and no character of a call’s input', async () => {
    const other = hit({
      docid: docid('b'),
      sessionId: PROJECT,
      sessionTitle: 'Billing',
      kind: 'tool_call',
      tool: 'Bash',
    });
    const { ask } = setUp({ search: async () => ({ items: [other], next: null, notes: ['A note.'] }) });
    const { text } = await ask({ q: 'refund' });
    expect(text).toContain(`${docid('b')} (Bash, 2026-10-02 14:29, in "Billing")`);
    expect(text).toContain('A note.');
  });

  test('shows as much as there is room for, and counts no document that it does not show', async () => {
    const items = ['a', 'b', 'c', 'd'].map((digit) =>
      hit({ docid: docid(digit), snippet: { text: `${digit} `.repeat(600), marks: [] } }),
    );
    const { ask } = setUp({ search: async () => ({ items, next: null, notes: [] }) });
    const { text, documents } = await ask({ q: 'x' }, 800);
    expect(text).toContain('more left out');
    expect(documents.length).toBeLessThan(4);
    for (const { docid: one } of items) expect(text.includes(one)).toBe(documents.includes(one));
  });

  test('that finds nothing says what else to try, and one that cannot be understood why', async () => {
    const none = setUp({ search: async () => ({ items: [], next: null, notes: [] }) });
    expect((await none.ask({ q: 'zebra' })).text).toContain('try fewer or other words');
    const refused = setUp({
      search: async () => {
        throw new ContextModeError('bad_request', 'The query says nothing.', { hint: 'Give words.' });
      },
    });
    expect((await refused.ask({ q: '""' })).text).toBe('The query says nothing. Give words.');
  });
});

describe('a document', () => {
  test('that the place of the conversation does not show is missing, whoever asks for it', async () => {
    let reads = 0;
    const { ask } = setUp({
      documentsIn: async () => [],
      readBlob: async () => {
        reads += 1;
        return null;
      },
      readDocument: async () => ({
        found: document({ text: 'of another project', media: [{ hash: 'h', mime: 'image/png', bytes: 3 }] }),
      }),
    });
    const { text, documents } = await ask({ docid: docid('a') });
    expect(text).toContain('Nothing is kept under');
    expect(text).not.toContain('of another project');
    expect([documents, reads]).toEqual([[], 0]);
  });

  test('of an ambiguous beginning is named among those that the place shows; where that is one, it is read', async () => {
    const two = [docid('a'), docid('b')];
    const readDocument: RetrievalParts['archive']['readDocument'] = async (_account, id) =>
      id === 'context' ? { ambiguous: [...two, docid('c')] } : { found: document({ docid: docid('b') }) };
    const several = setUp({ readDocument, documentsIn: async () => two });
    const { text } = await several.ask({ docid: 'context' });
    expect(text).toContain(two.join(', '));
    expect(text).not.toContain(docid('c'));
    const one = setUp({
      readDocument,
      documentsIn: async (_account, _place, ids) => ids.filter((id) => id === docid('b')),
    });
    expect((await one.ask({ docid: 'context' })).documents).toEqual([docid('b')]);
  });

  test('whose file was changed later says so, with what shows it newest', async () => {
    const changed = {
      docid: docid('b'),
      at: (NOW - 30_000) as Millis,
      path: '/a.ts',
      kind: 'edit',
    } as const;
    const fresh = { docid: docid('c'), at: NOW as Millis };
    const first = setUp({ readDocument: async () => ({ found: document({ changed }) }) });
    expect((await first.ask({ docid: docid('a') })).text).toContain(`changed at 14:29, newer: ${docid('b')}`);
    const second = setUp({ readDocument: async () => ({ found: document({ changed, fresh }) }) });
    expect((await second.ask({ docid: docid('a') })).text).toContain(
      `changed at 14:29, newer: ${docid('c')}`,
    );
  });

  test('comes with its images, as many as are taken and have room, and a line for the others', async () => {
    const media = [
      { hash: '1', mime: 'image/png', bytes: 3 },
      { hash: '2', mime: 'application/pdf', bytes: 9 },
      { hash: '3', mime: 'image/png', bytes: 50_000_000 },
      { hash: '4', mime: 'image/jpeg', bytes: 3 },
    ];
    const { ask } = setUp({
      readDocument: async () => ({ found: document({ media }) }),
      readBlob: async (_account, hash) => ({ mime: 'image/png', bytes: Buffer.from(`p${hash}`) }),
    });
    const answer = await ask({ docid: docid('a') }, 2_500);
    expect(answer.images).toHaveLength(1);
    expect(answer.text).toContain('application/pdf with 9 bytes hangs on it and is not shown: only images');
    expect(answer.text).toContain('50000000 bytes hangs on it and is not shown: it is too large');
    expect(answer.text).toContain('no room left for it');
    expect(JSON.parse(resultContent('anthropic', answer))).toEqual([
      { type: 'text', text: answer.text },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'cDE=' } },
    ]);
    expect(JSON.parse(resultContent('openai', answer))).toEqual([
      { type: 'input_text', text: answer.text },
      { type: 'input_image', image_url: 'data:image/png;base64,cDE=' },
    ]);
  });
});

describe('an answer', () => {
  test('is never a failure: what goes wrong is said, with what to do', async () => {
    expect((await setUp().ask('no json')).text).toContain('The input is not a JSON object.');
    expect((await setUp().ask({})).text).toContain('Neither `q` nor `docid` was given.');
    expect((await setUp().ask({ q: 'x' }, 100)).text).toBe(NO_ROOM);
    expect((await setUp({ findSession: async () => null }).ask({ q: 'x' })).text).toBe(NOT_KEPT);
    const broken = setUp({ search: () => Promise.reject(new Error('password "hunter2" refused')) });
    const { text } = await broken.ask({ q: 'x' });
    expect(text).toContain('The archive could not be read.');
    expect(text).not.toContain('hunter2');
  });

  test('is there within two seconds, whatever the archive does', async () => {
    for (const archive of [
      { search: () => new Promise<never>(() => {}) },
      { findSession: () => new Promise<never>(() => {}) },
    ]) {
      const { ask, timers } = setUp(archive);
      const answer = ask({ q: 'x' });
      timers.advance(2_000);
      expect(await answer).toEqual({ text: LATE_ANSWER, images: [], documents: [] });
    }
  });
});
