import { findAddress, mustAnswer } from '../gateway/client.ts';
import { beginPause, endPause, type PauseOfGateway, pauseOf } from '../gateway/pause.ts';
import type { Output } from '../output.ts';
import type { World } from '../world.ts';

/** What a person is told of a pause, without its end. */
const MEANING = 'Nothing is recorded; bytes pass. What a conversation carries already is sent as before.';

/** When a pause ends, for a sentence. */
export function endOf({ until }: PauseOfGateway): string {
  return until === null ? 'until "context-mode resume"' : `until ${until}`;
}

/**
 * Begins a pause: the gateway records nothing and begins nothing new.
 * @returns 0. @throws CliFailure `noGateway`, or `refused`
 */
export async function pause(
  world: World,
  output: Output,
  options: { readonly seconds: number | undefined; readonly gateway: string | undefined },
): Promise<0> {
  const { url } = await mustAnswer(world, await findAddress(world, options.gateway));
  const begun = await beginPause(world, url, options.seconds);
  if (begun !== null) output.line(`Paused ${endOf(begun)}. ${MEANING}`);
  output.line(
    'A session that goes on afterwards brings what was said meanwhile along, and it is archived then.',
  );
  output.result({ ok: true, exitCode: 0, pause: begun });
  return 0;
}

/** Ends the pause; harmless where there is none. @returns 0. @throws CliFailure `noGateway`, or `refused` */
export async function resume(
  world: World,
  output: Output,
  options: { readonly gateway: string | undefined },
): Promise<0> {
  const { url } = await mustAnswer(world, await findAddress(world, options.gateway));
  const before = await pauseOf(world, url);
  await endPause(world, url);
  output.line(before === null ? 'There was no pause.' : `The pause since ${before.since} is over.`);
  output.result({ ok: true, exitCode: 0, pause: null, before });
  return 0;
}
