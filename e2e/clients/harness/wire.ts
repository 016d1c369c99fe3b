import { expect } from 'vitest';
import type { LoggedRequest } from '../../simulator/index.ts';
import { headerOf, type WireMessage } from './http-bytes.ts';
import type { ServedBy } from './product.ts';
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
 * answered: bodies byte for byte, headers in order and case, less those of one hop and the gateway's own. Requests for
 * a WebSocket are left out: the gateway answers them itself. Where the provider gave no answer at all, the gateway may
 * answer with an error of its own. Next alone knows headers by their names only: their order and case are lost there.
 */
export function expectUnchangedBytes(
  exchanges: readonly Exchange[],
  log: readonly LoggedRequest[],
  servedBy: ServedBy,
): void {
  const shape = servedBy === 'next' ? withoutHeaderOrder : (side: Side) => side;
  const agent = exchanges
    .filter((exchange) => !isUpgrade(exchange.request))
    .map(agentSide)
    .map(shape);
  const provider = log
    .filter((entry) => !isUpgrade(entry))
    .map(providerSide)
    .map(shape);
  expect(sorted(agent), 'the agent’s side and the provider’s side of the gateway').toEqual(sorted(provider));
}

/** True for a request that asks for a WebSocket. */
export function isUpgrade(request: { readonly headers: WireMessage['headers'] }): boolean {
  return request.headers.some(([name]) => name.toLowerCase() === 'upgrade');
}

/** A target without the door that it came through: doors are paths of the gateway, not of the provider. */
export function behindDoor(target: string): string {
  const rest = target.replace(/^\/(anthropic|openai)/, '');
  return rest === '' ? '/' : rest;
}

function agentSide({ request, answer: received }: Exchange): Side {
  const [method = '', target = ''] = request.start.split(' ');
  const answer = received === null || isGatewaysOwn(received) ? null : received;
  const status = answer === null ? null : Number(answer.start.split(' ')[1]);
  return {
    method,
    target: behindDoor(target),
    headers: kept(request.headers),
    body: request.body.toString('latin1'),
    status,
    answerHeaders: answer === null ? [] : kept(answer.headers),
    answerBody: answer === null ? '' : answer.body.toString('latin1'),
  };
}

/** An answer that the gateway made itself, because the provider gave none. */
function isGatewaysOwn(answer: WireMessage): boolean {
  return headerOf(answer, OURS)?.startsWith('refused') === true;
}

function providerSide(entry: LoggedRequest): Side {
  return {
    method: entry.method,
    target: behindDoor(entry.target),
    headers: kept(entry.headers),
    body: entry.body.toString('latin1'),
    status: entry.answer?.status || null,
    answerHeaders: entry.answer === undefined ? [] : kept(entry.answer.headers),
    answerBody: entry.answer?.body.toString('latin1') ?? '',
  };
}

function withoutHeaderOrder(side: Side): Side {
  const plain = (headers: readonly string[]) =>
    headers.map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase())).sort();
  return { ...side, headers: plain(side.headers), answerHeaders: plain(side.answerHeaders) };
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
