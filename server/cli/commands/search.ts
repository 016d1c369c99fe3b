import { findAddress, mustAnswer, searchArchive } from '../gateway/client.ts';
import type { Output } from '../output.ts';
import type { World } from '../world.ts';

/** Hits where none are asked for. */
const HITS = 10;

/**
 * Looks through the archive and prints what fits, best first: id, when, what, from which session, and the place.
 * @returns 0, also where nothing was found. @throws CliFailure `noGateway`, or `refused` for a query that says nothing
 */
export async function search(
  world: World,
  output: Output,
  options: {
    readonly query: string;
    readonly session: string | undefined;
    readonly kind: string | undefined;
    readonly path: string | undefined;
    readonly limit: number | undefined;
    readonly gateway: string | undefined;
  },
): Promise<0> {
  const gateway = await mustAnswer(world, await findAddress(world, options.gateway));
  const { query, session, kind, path, limit = HITS } = options;
  const { hits, notes, answer } = await searchArchive(world, gateway.url, {
    q: query,
    limit: String(limit),
    ...(session === undefined ? {} : { session }),
    ...(kind === undefined ? {} : { kind }),
    ...(path === undefined ? {} : { path }),
  });
  for (const hit of hits) {
    output.line(`${hit.docid}  ${hit.at}  ${hit.kind}  ${hit.sessionTitle}`);
    output.line(`    ${hit.snippet.replace(/\s+/g, ' ').trim()}`);
  }
  if (hits.length === 0) output.line('Nothing was found.');
  for (const note of notes) output.line(`(${note})`);
  output.result({ ok: true, exitCode: 0, ...(typeof answer === 'object' ? answer : {}) });
  return 0;
}
