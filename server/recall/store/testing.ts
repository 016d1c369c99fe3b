import { createHash } from 'node:crypto';
import type { DocId, MessageHash } from '../../conversation/index.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { DEFAULT_RECALL } from '../limits.ts';
import type { Beginning, Generation, HiddenRecord, LayoutContent, ThreadName } from '../stored.ts';

/** Start of a test's time. */
export const START = Date.UTC(2026, 11, 1, 9) as Millis;

/** A message's hash by a word. */
export function hashNamed(word: string): MessageHash {
  return createHash('sha256').update(word).digest() as Uint8Array as MessageHash;
}

/** A thread of Claude Code. */
export function threadNamed(session: string, thread = ''): ThreadName {
  return { agent: 'claude-code', session, thread };
}

/** A beginning with sensible fields around the given ones. */
export function beginning(fields: Partial<Beginning> = {}): Beginning {
  return {
    thread: threadNamed('s'),
    began: hashNamed('first'),
    choices: { tool: 1, trimming: 1, memory: null },
    ...fields,
  };
}

/** The content of a layout whose index refers to these documents. */
export function content(fields: Partial<LayoutContent> = {}): LayoutContent {
  return {
    boundary: hashNamed('boundary'),
    boundaryMessage: hashNamed('boundary message'),
    runningTyped: null,
    renderer: 1,
    index: ['[older]\n', '[closing]'],
    indexHash: 'ab'.repeat(32),
    indexTokens: 7,
    memory: null,
    cacheMark: '5m',
    settings: DEFAULT_RECALL,
    ...fields,
  };
}

/** A generation with sensible fields around the given ones. */
export function generation(fields: Partial<Generation> = {}): Generation {
  return {
    madeAt: hashNamed('made at'),
    reason: 'pause',
    layout: content(),
    choices: { tool: 1, trimming: null, memory: 'a block' },
    thread: threadNamed('s'),
    at: START,
    tokensBefore: 150_000,
    tokensAfter: 60_000,
    ...fields,
  };
}

let made = 0;

/** A record of hidden rounds with sensible fields around the given ones. */
export function hidden(fields: Partial<HiddenRecord> = {}): HiddenRecord {
  made += 1;
  return {
    id: `00000000-0000-7000-8000-${made.toString(16).padStart(12, '0')}` as Uuid,
    protocol: 'anthropic',
    thread: threadNamed('s'),
    anchors: ['a chain'],
    documents: [],
    data: { sent: ['{"role":"assistant"}'] },
    at: START,
    ...fields,
  };
}

/** A document that no archive holds. */
export const NO_DOCUMENT = 'context-mode-msg-00000000000000ff' as DocId;
