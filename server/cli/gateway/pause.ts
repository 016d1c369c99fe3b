import type { World } from '../world.ts';
import { ask, checked, fieldOf, keyHeaders, textAt } from './client.ts';

/** How long the gateway may take to answer. */
const CALL_MS = 10_000;

/** A time in which a gateway records nothing, as it says it. */
export interface PauseOfGateway {
  readonly since: string;
  /** Null: until somebody ends it. */
  readonly until: string | null;
}

/** The pause that is on; null: there is none, or the gateway does not say. */
export async function pauseOf(world: World, url: string): Promise<PauseOfGateway | null> {
  const answer = await ask(world, url, '/api/v1/pause', CALL_MS);
  return answer?.status === 200 ? pauseIn(answer.body) : null;
}

/**
 * Begins a pause. @param seconds how long; undefined: until somebody ends it
 * @throws CliFailure where the gateway does not do it
 */
export async function beginPause(
  world: World,
  url: string,
  seconds: number | undefined,
): Promise<PauseOfGateway | null> {
  const query = seconds === undefined ? '' : `?seconds=${seconds}`;
  const headers = await keyHeaders(world, url);
  return pauseIn(checked(url, await world.post(`${url}/api/v1/pause${query}`, CALL_MS, headers)).body);
}

/** Ends the pause. @throws CliFailure where the gateway does not do it */
export async function endPause(world: World, url: string): Promise<void> {
  checked(url, await world.post(`${url}/api/v1/resume`, CALL_MS, await keyHeaders(world, url)));
}

function pauseIn(body: unknown): PauseOfGateway | null {
  const pause = fieldOf(body, 'pause');
  const since = textAt(pause, 'since');
  return since === null ? null : { since, until: textAt(pause, 'until') };
}
