import { CliFailure, EXIT } from '../failure.ts';
import { consoleAddress, findAddress, mustAnswer } from '../gateway/client.ts';
import type { Output } from '../output.ts';
import type { World } from '../world.ts';

/**
 * Prints the address that opens the console. Where the gateway needs its local key that is a link that works once and
 * for ten minutes. No browser is started: another user of the machine could read the link from its command line.
 * @returns 0. @throws CliFailure `noGateway` where no gateway answers or it makes no link
 */
export async function open(
  world: World,
  output: Output,
  options: { readonly gateway?: string | undefined },
): Promise<0> {
  const gateway = await mustAnswer(world, await findAddress(world, options.gateway));
  const url = await consoleAddress(world, gateway.url);
  if (url === null) {
    throw new CliFailure(
      EXIT.noGateway,
      `The gateway at ${gateway.url} did not say where its console is.`,
      'Run "context-mode doctor", or read its log in the data folder.',
    );
  }
  output.line(`Console  ${url}`);
  if (gateway.about.keyNeeded) output.line('The link works once, within ten minutes, in one browser.');
  output.result({ ok: true, exitCode: 0, url, once: gateway.about.keyNeeded });
  return 0;
}
