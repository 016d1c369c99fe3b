import { z } from 'zod';

/**
 * The shapes that leave through tRPC and REST. Times are ISO 8601 in UTC, sizes are bytes or characters as named,
 * durations are milliseconds, ids are opaque.
 */

const time = z.iso.datetime().describe('ISO 8601, UTC, milliseconds');
const id = z.string().describe('opaque');

/** The agents that are told apart. */
export const agentName = z.enum(['claude-code', 'codex', 'opencode', 'pi', 'unknown']);

/** A session as a list shows it. */
export const session = z
  .object({
    id,
    clientSessionId: z.string().nullable().describe('the conversation as the agent names it'),
    agent: agentName,
    agentVersion: z.string().nullable(),
    title: z.string(),
    project: z.object({ id, name: z.string() }).nullable(),
    worktree: z.object({ id, path: z.string(), branch: z.string().nullable() }).nullable(),
    startedAt: time,
    lastSeenAt: time,
    turns: z.int(),
    requests: z.int(),
    threads: z.int().describe('main line and sub-agents'),
    head: z.string().nullable().describe('newest message of the main line'),
    deletesAt: time.nullable().describe('set while a deletion waits and can be undone'),
  })
  .meta({ id: 'Session' });

const mark = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

/** A row of a session's log, its text cut where the caller says. */
export const logRow = z
  .object({
    seq: z.int().describe('log position in the session'),
    at: time,
    kind: z.string(),
    role: z.string().nullable(),
    thread: z.string().describe('`main`, or the id of a sub-agent'),
    docid: z.string().nullable(),
    tool: z.string().nullable(),
    mainInput: z.string().nullable().describe('the one input a reader wants on one line'),
    body: z.string(),
    length: z.int().describe('characters of the whole body; `body` may be clipped'),
    durationMs: z.number().nullable(),
    data: mark.nullable(),
    media: z.int().describe('images and files on the item'),
    callId: z.string().nullable(),
    isError: z.boolean(),
  })
  .meta({ id: 'LogRow' });

const mention = z.object({ docid: z.string(), at: time });
const documentPlace = z.object({ docid: z.string(), seq: z.int() });

/** A document with a part of its text, and what stands around it. */
export const document = z
  .object({
    docid: z.string(),
    kind: z.string(),
    role: z.string(),
    tool: z.string().nullable(),
    input: z.string().nullable().describe("a tool call's input as JSON text"),
    text: z.string().describe('from `offset`; of a tool call, the text of its result'),
    offset: z.int(),
    length: z.int().describe('characters of the whole text'),
    nextOffset: z
      .int()
      .nullable()
      .describe('the `offset` to read on with; null where `text` reaches the end'),
    bytes: z.int().describe('bytes of the whole stored text'),
    sha256: z.string(),
    at: time,
    durationMs: z.number().nullable(),
    sessionId: id,
    seq: z.int(),
    resultSeq: z.int().nullable().describe("log position of a call's result"),
    place: z.object({ project: z.string(), path: z.string(), branch: z.string().nullable() }).nullable(),
    masked: z.boolean().describe('parts of the text are masks, not the real text'),
    confirmed: z.boolean().describe('the stored text was read back and its hash compared'),
    media: z.array(
      z.object({
        hash: z.string(),
        mime: z.string(),
        bytes: z.int(),
        href: z.string().describe('where its bytes are'),
      }),
    ),
    changed: mention
      .extend({ path: z.string(), kind: z.enum(['write', 'edit', 'delete', 'move']) })
      .optional()
      .describe('of a read of a file: the newest later change of the file in the same worktree'),
    fresh: mention.optional().describe('the newest read of that file after the change'),
    sessions: z
      .object({
        total: z.int(),
        items: z.array(z.object({ sessionId: id, title: z.string(), seq: z.int() })),
      })
      .describe('whose logs hold it: the first twenty'),
    previous: documentPlace.nullable().describe('the document before it in the log of `sessionId`'),
    next: documentPlace.nullable().describe('the one behind it'),
  })
  .meta({ id: 'Document' });

/** Where a text stands in the log of a session. */
export const logMatches = z.object({
  total: z.int().describe('how often it stands in the log'),
  matched: z.int().describe('in how many rows'),
  items: z
    .array(z.object({ seq: z.int(), docid: z.string().nullable(), count: z.int() }))
    .describe('the rows, oldest first'),
});

const count = z.int().nullable();

/** Tokens of one request. */
export const usage = z
  .object({
    input: count,
    cacheRead: count,
    cacheWrite5m: count,
    cacheWrite1h: count,
    cacheWriteOther: count,
    output: count,
    reasoning: count,
  })
  .describe('tokens in disjoint parts, as the provider counted them; null: it did not say')
  .meta({ id: 'Usage' });

const problem = z.object({ type: z.string(), message: z.string() });

/** A request through a door, and what became of it. */
export const request = z
  .object({
    id,
    sessionId: id.nullable(),
    thread: z.string().nullable(),
    door: z.string(),
    path: z.string(),
    kind: z.string(),
    agent: agentName,
    model: z.string().nullable(),
    stream: z.boolean(),
    retry: z.boolean().describe('the same conversation as the request before'),
    receivedAt: time,
    status: z.int().nullable(),
    ending: z.string().nullable(),
    headMs: z.number().nullable(),
    firstByteMs: z.number().nullable(),
    totalMs: z.number().nullable(),
    ownMs: z.number().nullable().describe("the gateway's own share before the request left"),
    requestBytes: z.int(),
    responseBytes: z.int().nullable(),
    usage: usage.nullable(),
    error: problem.nullable(),
    note: z.string().nullable(),
    edited: z.boolean().describe('the model saw something else than the client sent'),
    made: z.string().nullable().describe('why this request made a layout; null: it made none'),
    unedited: z
      .string()
      .nullable()
      .describe('why it went out unchanged although something was to change; null: that was not so'),
  })
  .meta({ id: 'Request' });

/** What an item of a message can be. */
export const itemKind = z.enum([
  'input',
  'injected',
  'system',
  'answer',
  'reasoning',
  'tool_call',
  'tool_result',
  'image',
  'file',
  'compaction',
  'unknown',
]);

/** Who said an item. */
export const role = z.enum(['user', 'assistant', 'system', 'developer', 'tool', 'unknown']);

/** A document that fits a search, as the event that fits the filters shows it. */
export const searchHit = z
  .object({
    docid: z.string(),
    sessionId: id,
    seq: z.int().describe('log position in the session'),
    sessionTitle: z.string(),
    project: z.object({ id, name: z.string() }).nullable(),
    thread: z.string().describe('`main`, or the id of a sub-agent'),
    kind: itemKind,
    role,
    tool: z.string().nullable(),
    path: z.string().nullable(),
    at: time,
    offset: z.int().describe("characters into the item's own text at which the match begins"),
    snippet: z.object({
      text: z.string(),
      marks: z.array(z.tuple([z.int(), z.int()])).describe('ranges of UTF-16 units in `text`, end excluded'),
    }),
    score: z.number().describe('comparable inside one answer only'),
  })
  .meta({ id: 'SearchHit' });

/** A project and how many sessions it holds. */
export const project = z.object({ id, name: z.string(), sessions: z.int() }).meta({ id: 'Project' });

/** An agent that was seen, and how its last request ended. */
export const connection = z.object({
  agent: agentName,
  agentVersion: z.string().nullable(),
  lastSeenAt: time,
  requests: z.int(),
  lastStatus: z.int().nullable(),
  lastError: problem.nullable(),
});

/** A page of rows; `next` is the cursor of the page that follows, null at the end. */
export const pageOf = <Row extends z.ZodType>(row: Row) =>
  z.object({ items: z.array(row), next: z.string().nullable() });

/** Rows of a log, with how many fit what was asked and how many of these are here. */
export const logPage = z.object({
  matched: z.int(),
  showing: z.int(),
  rows: z.array(logRow),
});

/** What every failed call answers with: what was wrong, where, and what to do. */
export const errorEnvelope = z
  .object({
    error: z.object({ code: z.string(), message: z.string(), hint: z.string(), requestId: z.string() }),
  })
  .meta({ id: 'Error' });

/** A session as it leaves. */
export type WireSession = z.infer<typeof session>;
/** A row of a log as it leaves. */
export type WireLogRow = z.infer<typeof logRow>;
/** A document as it leaves. */
export type WireDocument = z.infer<typeof document>;
/** A request as it leaves. */
export type WireRequest = z.infer<typeof request>;
/** An agent that was seen, as it leaves. */
export type WireConnection = z.infer<typeof connection>;
/** A hit as it leaves. */
export type WireSearchHit = z.infer<typeof searchHit>;
/** Tokens of a request as they leave. */
export type WireUsage = z.infer<typeof usage>;
