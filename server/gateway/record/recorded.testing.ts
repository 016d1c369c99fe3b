import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Millis } from '../../kernel/clock.ts';
import type { Door } from '../../kernel/env.ts';
import { newId, type Uuid } from '../../kernel/ids.ts';
import type { TappedRequest } from '../tap.ts';
import type { RecordedAnswer } from './protocol.ts';

const folder = join(import.meta.dirname, '..', '..', '..', 'e2e', 'clients', 'recorded');

const allCases = ['claude-code', 'codex', 'opencode', 'pi'].flatMap((agent) =>
  readdirSync(join(folder, agent)).map((name) => `${agent}/${name}`),
);
const UNNAMED = /^pi\/anthropic-/;

/** The recorded cases, as `agent/case`, whose requests name their session. */
export const recordedCases: readonly string[] = allCases.filter((name) => !UNNAMED.test(name));

/** Those whose requests name none. */
export const unnamedCases: readonly string[] = allCases.filter((name) => UNNAMED.test(name));

/** One recorded request with its answer, as the gateway's tap tells of them. */
export interface RecordedExchange {
  readonly request: TappedRequest;
  readonly answer: RecordedAnswer;
}

interface Head {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly status: number;
  readonly answerHeaders: readonly (readonly [string, string])[];
}

/** The exchanges of a case in order, a second apart from `start`, under ids of their own. */
export function readCase(name: string, accountId: Uuid, start: number): readonly RecordedExchange[] {
  const path = join(folder, name);
  const numbers = readdirSync(path)
    .filter((file) => file.endsWith('.headers.json'))
    .map((file) => file.slice(0, 3))
    .sort();
  const door: Door = /^codex|\/openai/.test(name) ? 'openai' : 'anthropic';
  return numbers.map((number, index) => {
    const head = JSON.parse(readFileSync(join(path, `${number}.headers.json`), 'utf8')) as Head;
    const at = (start + index * 1000) as Millis;
    const id = newId({ now: () => at, monotonic: () => 0 });
    const answerFile = ['sse', 'json']
      .map((kind) => join(path, `${number}.response.${kind}`))
      .find((file) => existsSync(file));
    const answerBody = answerFile === undefined ? new Uint8Array() : readFileSync(answerFile);
    const requestFile = join(path, `${number}.request.json`);
    return {
      request: {
        id,
        accountId,
        door,
        method: head.method,
        target: head.target,
        headers: head.headers,
        body: existsSync(requestFile) ? readFileSync(requestFile) : new Uint8Array(),
        receivedAt: at,
      },
      answer: {
        id,
        accountId,
        door,
        status: head.status,
        headers: head.answerHeaders,
        contentType:
          head.answerHeaders.find(([header]) => header.toLowerCase() === 'content-type')?.[1] ?? '',
        contentEncoding: '',
        providerRequestId: null,
        ending: 'complete',
        responseBytes: answerBody.byteLength,
        headMs: 1,
        firstByteMs: 2,
        totalMs: 3,
        ownMs: 1,
        endedAt: (at + 500) as Millis,
        body: answerBody,
      },
    };
  });
}
