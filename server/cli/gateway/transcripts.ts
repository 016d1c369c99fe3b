import type { World } from '../world.ts';
import { checked, fieldOf, keyHeaders, numberAt, textAt } from './client.ts';

/** What became of a session of an agent whose files were sent. */
export interface ImportedTranscript {
  readonly state: string;
  readonly messages: number;
  readonly added: number;
  readonly leftOut: readonly { readonly what: string; readonly count: number }[];
  readonly faults: readonly { readonly file: string; readonly line: number; readonly reason: string }[];
}

/**
 * Gives the archive the files of one session of an agent; null where they name none.
 * @throws CliFailure where it does not take them
 */
export async function importTranscript(
  world: World,
  url: string,
  agent: string,
  pieces: AsyncIterable<Uint8Array>,
): Promise<ImportedTranscript | null> {
  const headers = await keyHeaders(world, url);
  const address = `${url}/api/v1/transcripts?agent=${agent}`;
  const answer = checked(url, await world.uploadPieces(address, pieces, 'application/octet-stream', headers));
  const session = fieldOf(answer.body, 'session');
  if (typeof session !== 'object' || session === null) return null;
  return {
    state: textAt(session, 'state') ?? '',
    messages: numberAt(session, 'messages') ?? 0,
    added: numberAt(session, 'added') ?? 0,
    leftOut: listAt(session, 'leftOut').map((one) => ({
      what: textAt(one, 'what') ?? '',
      count: numberAt(one, 'count') ?? 0,
    })),
    faults: listAt(session, 'faults').map((one) => ({
      file: textAt(one, 'file') ?? '',
      line: numberAt(one, 'line') ?? 0,
      reason: textAt(one, 'reason') ?? '',
    })),
  };
}

function listAt(value: unknown, name: string): readonly unknown[] {
  const field = fieldOf(value, name);
  return Array.isArray(field) ? field : [];
}
