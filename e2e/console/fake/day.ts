import type { RequestRow } from '../../../server/archive/types.ts';
import type { AgentName } from '../../../server/conversation/index.ts';
import type { Millis } from '../../../server/kernel/clock.ts';
import { type Line, REFUND_SESSION } from './conversation.ts';
import { LARGE_SESSION } from './large.ts';
import { type FakeSession, fixedId, type Lines } from './sessions.ts';

const MINUTE = 60_000;

const PROJECTS = [
  { project: { id: fixedId(1), name: 'ada/billing' }, path: '/home/ada/billing' },
  { project: { id: fixedId(2), name: 'ada/atlas' }, path: '/home/ada/atlas' },
  { project: { id: fixedId(3), name: 'lab/spectro-firmware' }, path: '/srv/lab/spectro-firmware' },
] as const;

const TITLES = [
  'Change the refund window for team accounts',
  'Why does the tile cache grow over night?',
  'Port the CRC routine to the new board',
  'Write a migration for split invoices',
  'Explain the retry rule in upstream.ts',
  'Flaky test: login waits for ever on CI',
  'Rename worktree to workspace everywhere, except in the public API, where the old name must stay for a year',
  'Plan the release notes',
  'Make map labels readable at night',
  'Find out who calls quotaOf',
  'Review the diff of the price table',
  'Interrupt handler loses the last byte',
] as const;

function listed(lines: readonly Line[], startedAt: number): Lines {
  let at = startedAt;
  const made = lines.map((line) => {
    at += (line.later ?? 0) * MINUTE + 1900;
    return { line, at: at as Millis };
  });
  return {
    count: made.length,
    at: (seq) => made[seq - 1] ?? { line: { kind: 'unknown', text: '' }, at: at as Millis },
  };
}

/** A session of many thousand rows, of which each is made when it is asked for. */
function long(count: number, startedAt: number): Lines {
  return {
    count,
    at(seq) {
      const at = (startedAt + seq * 600) as Millis;
      const turn = Math.ceil(seq / 10);
      const place = seq % 10;
      if (place === 1)
        return { at, line: { kind: 'input', text: `Step ${turn}: go on with the next file of the port.` } };
      if (place === 0)
        return {
          at,
          line: { kind: 'answer', text: `Step ${turn} is done. The file compiles and its tests pass.` },
        };
      const id = `c${turn}-${Math.ceil(place / 2)}`;
      if (place % 2 === 0) {
        const path = `src/part-${turn}-${place}.c`;
        return {
          at,
          line: {
            kind: 'tool_call',
            tool: 'Read',
            mainInput: path,
            call: id,
            text: `{"file_path":"${path}"}`,
          },
        };
      }
      if (place === 9) return { at, line: { kind: 'reasoning', text: `Thinking about step ${turn}.` } };
      const before = `c${turn}-${Math.ceil((place - 1) / 2)}`;
      return {
        at,
        line: {
          kind: 'tool_result',
          call: before,
          ranMs: 7,
          text: `int part_${seq}(void) { return ${seq}; }\n`,
        },
      };
    },
  };
}

function requestsOf(
  number: number,
  count: number,
  lastAt: number,
  agent: AgentName,
  refused: boolean,
): RequestRow[] {
  return Array.from({ length: count }, (_, at) => {
    const isTitle = at === count - 1;
    const failed = at === 2 && number === 0;
    const denied = refused && at === 0;
    return {
      id: fixedId(100_000 + number * 1000 + at),
      sessionId: fixedId(1000 + number),
      thread: 'main',
      door: agent === 'codex' ? '/openai' : '/anthropic',
      path: agent === 'codex' ? '/v1/responses' : '/v1/messages?beta=true',
      kind: isTitle ? 'title' : 'main',
      agent,
      model: agent === 'codex' ? 'gpt-5.3-codex' : 'claude-opus-4-8',
      stream: true,
      retry: at === 1 && number === 0,
      receivedAt: (lastAt - at * 47_000) as Millis,
      status: denied ? 401 : failed ? 529 : 200,
      ending: 'complete',
      headMs: 412 + at * 3,
      firstByteMs: 431 + at * 3,
      totalMs: 6840 + at * 211,
      ownMs: 1.4,
      requestBytes: 184_220 + at * 900,
      responseBytes: 8120,
      usage:
        denied || failed
          ? null
          : {
              input: 320 + at,
              cacheRead: 61_200,
              cacheWrite5m: 1840,
              cacheWrite1h: null,
              cacheWriteOther: null,
              output: 611,
              reasoning: null,
            },
      error: denied
        ? {
            type: 'authentication_error',
            message: 'Incorrect API key provided. You can find your API key in your account settings.',
          }
        : failed
          ? { type: 'overloaded_error', message: 'Overloaded' }
          : null,
      note: null,
    } satisfies RequestRow;
  });
}

/** Sessions of a day that ends at `now`, and of the weeks before it. */
export function fakeDay(now: number): FakeSession[] {
  return Array.from({ length: 260 }, (_, number) => {
    const agent: AgentName = number % 3 === 1 ? 'codex' : number % 11 === 8 ? 'opencode' : 'claude-code';
    const back = number < 9 ? number * 38 * MINUTE + 20_000 : 9 * 3_600_000 + (number - 9) * 5 * 3_600_000;
    const lastSeenAt = now - back;
    const startedAt = lastSeenAt - (number === 0 ? 700 : 12 + (number % 7) * 9) * MINUTE;
    const place = PROJECTS[number % 3] ?? PROJECTS[0];
    const title = TITLES[number % TITLES.length] ?? '';
    const isLong = number === 2;
    const lines = isLong
      ? long(100_000, startedAt)
      : listed(
          number === 0
            ? REFUND_SESSION
            : number === 3
              ? LARGE_SESSION
              : [
                  { kind: 'input', text: title },
                  { kind: 'answer', text: 'Done.' },
                ],
          startedAt,
        );
    const requests = requestsOf(
      number,
      number === 0 ? 31 : 3 + (number % 9),
      lastSeenAt,
      agent,
      number === 1,
    );
    return {
      lines,
      requests,
      row: {
        id: fixedId(1000 + number),
        clientSessionId: `5d1c9a60-0000-4000-8000-${number.toString().padStart(12, '0')}`,
        agent,
        agentVersion: agent === 'codex' ? '0.171.0' : agent === 'opencode' ? '1.18.33' : '2.1.197',
        title: number === 12 ? '' : title,
        project: number % 13 === 7 ? null : place.project,
        worktree: {
          id: fixedId(50 + (number % 3)),
          path: place.path,
          branch: number % 2 === 0 ? 'main' : 'split-invoices',
        },
        startedAt: startedAt as Millis,
        lastSeenAt: lastSeenAt as Millis,
        turns: isLong ? 10_000 : number === 0 ? 5 : 1 + (number % 6),
        requests: requests.length,
        head: null,
        threads: number === 0 ? 2 : 1,
      },
    };
  });
}
