import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { LoggedRequest } from '../../simulator/index.ts';
import { type Json, type NormaliseOptions, normaliseJson, normaliseLines } from './normalise.ts';
import { listFiles, readFiles } from './scratch.ts';
import type { Side } from './side.ts';
import { behindDoor, isUpgrade } from './wire.ts';

/** What a run left behind, in a form that is the same for two runs of one scenario. */
export interface Outcome {
  /** Exit codes and what the agent printed, run by run. */
  readonly shown: Json;
  /** What it keeps of the conversations, file by file. */
  readonly stored: Json;
  /** The repository's files and those of its worktrees, contents in base64. */
  readonly files: Readonly<Record<string, string>>;
  /** The bodies that reached the provider, by kind of request. */
  readonly asked: Json;
}

/** Lines of transcripts that are written beside the conversation, at a moment that differs from run to run. */
const BESIDE = new Set([
  'ai-title',
  'queue-operation',
  'last-prompt',
  'file-history-snapshot',
  'world_state',
  'mode',
  'event_msg',
  'token_usage_record',
]);

/** How two runs are made comparable. */
export interface OutcomeOptions extends Omit<NormaliseOptions, 'root'> {
  /** Of what is stored only the distinct messages, sorted. */
  readonly storedInAnyOrder?: boolean;
}

/** Collects what a side's agents showed, stored, wrote and sent. */
export function collectOutcome(side: Side, options: OutcomeOptions = {}): Outcome {
  const rules: NormaliseOptions = { root: side.scratch.root, ...options };
  return {
    shown: side.runs.map((run) => ({ code: run.code, events: shownEvents(run.stdout, rules) })),
    stored: options.storedInAnyOrder ? storedMessages(side, rules) : storedConversations(side, rules),
    files: projectFiles(side),
    asked: askedBodies(side.provider.requests.entries, rules),
  };
}

/** Asserts that an agent cannot tell two runs of one scenario apart. */
export function expectSameForAgent(direct: Outcome, routed: Outcome): void {
  expect(routed.shown, 'what the agent shows').toEqual(direct.shown);
  expect(routed.files, 'what the agent does to the files').toEqual(direct.files);
  expect(routed.stored, 'what the agent stores').toEqual(direct.stored);
}

/** Asserts that two runs of one scenario cannot be told apart, part by part. */
export function expectSameOutcome(direct: Outcome, routed: Outcome): void {
  expectSameForAgent(direct, routed);
  expect(routed.asked, 'what reaches the provider').toEqual(direct.asked);
}

function shownEvents(stdout: string, rules: NormaliseOptions): Json {
  return normaliseLines(stdout, rules);
}

function projectFiles(side: Side): Readonly<Record<string, string>> {
  const { root } = side.scratch;
  return Object.fromEntries(Object.entries(readFiles(root)).filter(([path]) => !path.startsWith('home/')));
}

/**
 * Transcripts (`.claude/projects`), rollouts (`.codex/sessions`) and Pi's sessions, lines in their order, those beside it
 * sorted and each once (how often it is written again differs from run to run); before them what OpenCode's database gave.
 */
function storedConversations(side: Side, rules: NormaliseOptions): Json {
  const kept = side.openCodeKept.map((row) => normaliseJson(row, rules));
  const conversations = storedFiles(side).map((text) => {
    const lines = normaliseLines(text, rules);
    return {
      lines: lines.filter((line) => !isBeside(line)),
      beside: sortedByText(distinct(lines.filter(isBeside))),
    };
  });
  return [...kept, ...sortedByText(conversations)];
}

/** The distinct messages of Claude Code's transcripts. */
function storedMessages(side: Side, rules: NormaliseOptions): Json {
  const messages = storedFiles(side).flatMap((text) =>
    normaliseLines(text, rules).flatMap((line) => {
      const message = membersOf(line).message;
      return message === undefined ? [] : [JSON.stringify(message)];
    }),
  );
  return [...new Set(messages)].sort();
}

const KEPT = [join('.claude', 'projects'), join('.codex', 'sessions'), join('.pi', 'agent', 'sessions')];

function storedFiles(side: Side): readonly string[] {
  return KEPT.flatMap((folder) =>
    listFiles(join(side.scratch.home, folder))
      .filter((path) => path.endsWith('.jsonl'))
      .map((path) => readFileSync(join(side.scratch.home, folder, path), 'utf8')),
  );
}

function membersOf(line: Json): { readonly [key: string]: Json | undefined } {
  if (line === null || typeof line !== 'object' || Array.isArray(line)) return {};
  return line as { readonly [key: string]: Json };
}

function distinct(lines: readonly Json[]): Json[] {
  return [...new Map(lines.map((line) => [JSON.stringify(line), line])).values()];
}

function isBeside(line: Json): boolean {
  const { type } = membersOf(line);
  return typeof type === 'string' && BESIDE.has(type);
}

/** Bodies by the kind of request, each kind in its order (requests of different kinds run at once). */
function askedBodies(log: readonly LoggedRequest[], rules: NormaliseOptions): Json {
  const byKind = new Map<string, Json[]>();
  for (const entry of log.filter((request) => !isUpgrade(request))) {
    const kind = `${entry.method} ${behindDoor(entry.target)} ${entry.reading?.kind ?? ''}`;
    const body = entry.body.length === 0 ? null : normaliseJson(entry.body.toString('utf8'), rules);
    byKind.set(kind, [...(byKind.get(kind) ?? []), body]);
  }
  return Object.fromEntries([...byKind].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function sortedByText(values: readonly Json[]): readonly Json[] {
  return values
    .map((value) => ({ value, text: JSON.stringify(value) }))
    .sort((one, other) => (one.text < other.text ? -1 : 1))
    .map(({ value }) => value);
}
