import { expect } from 'vitest';
import type { LoggedRequest } from '../../simulator/wire/log.ts';
import type { Exchange } from './tap.ts';

/** Headers that belong to one hop, or that name the host: a gateway sets its own. */
const ONE_HOP = new Set([
  'host',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
]);
/** The prefix of the headers that the gateway adds to answers. */
const OURS = 'x-context-mode';

/** What stood on both sides of the gateway, as text that can be compared. */
interface Side {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly string[];
  readonly body: string;
  readonly status: number | null;
  readonly answerHeaders: readonly string[];
  readonly answerBody: string;
}

/**
 * Asserts that what reached the provider is what the agents sent, and what reached the agents is what the provider
 * answered: bodies byte for byte, headers in order and case, less those of one hop and the gateway's own. Requests
 * that the gateway answers itself (upgrades) must not have reached the provider.
 */
export function expectUnchangedBytes(exchanges: readonly Exchange[], log: readonly LoggedRequest[]): void {
  const agent = exchanges.filter((exchange) => !isUpgrade(exchange)).map(agentSide);
  const provider = log.map(providerSide);
  expect(sorted(agent), 'the agent’s side and the provider’s side of the gateway').toEqual(sorted(provider));
}

/** Exchanges in which the agent asked for a WebSocket. */
export function isUpgrade(exchange: Exchange): boolean {
  return exchange.request.headers.some(([name]) => name.toLowerCase() === 'upgrade');
}

function agentSide({ request, answer }: Exchange): Side {
  const [method = '', target = ''] = request.start.split(' ');
  const status = answer === null ? null : Number(answer.start.split(' ')[1]);
  return {
    method,
    target: target.replace(/^\/(anthropic|openai)/, ''),
    headers: kept(request.headers),
    body: request.body.toString('latin1'),
    status,
    answerHeaders: answer === null ? [] : kept(answer.headers),
    answerBody: answer === null ? '' : answer.body.toString('latin1'),
  };
}

function providerSide(entry: LoggedRequest): Side {
  return {
    method: entry.method,
    target: entry.target,
    headers: kept(entry.headers),
    body: entry.body.toString('latin1'),
    status: entry.answer?.status ?? null,
    answerHeaders: entry.answer === undefined ? [] : kept(entry.answer.headers),
    answerBody: entry.answer?.body.toString('latin1') ?? '',
  };
}

function kept(headers: readonly (readonly [string, string])[]): readonly string[] {
  return headers
    .filter(([name]) => !ONE_HOP.has(name.toLowerCase()) && !name.toLowerCase().startsWith(OURS))
    .map(([name, value]) => `${name}: ${value}`);
}

/** In an order that does not depend on which of two concurrent requests came first. */
function sorted(sides: readonly Side[]): readonly Side[] {
  const key = (side: Side) => `${side.body}\n${side.answerBody}\n${side.headers.join('\n')}`;
  return [...sides].sort((one, other) => (key(one) < key(other) ? -1 : 1));
}
