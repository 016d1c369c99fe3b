import { open } from 'node:fs/promises';
import type { TranscriptAgent, TranscriptFile } from './scan.ts';

/** A session with all its files, its own first. */
export interface FoundSession {
  readonly agent: TranscriptAgent;
  readonly session: string;
  readonly files: readonly TranscriptFile[];
  readonly folder: string | null;
  readonly title: string;
  readonly messages: number;
  readonly bytes: number;
  readonly changedAt: number;
}

/**
 * Puts the files of one session together. The session that was written to longest ago comes first: a fork takes over what
 * the archive has of its origin.
 */
export function sessionsOf(files: readonly TranscriptFile[]): readonly FoundSession[] {
  const groups = new Map<string, TranscriptFile[]>();
  for (const file of files) {
    const key = `${file.agent} ${file.session}`;
    groups.set(key, [...(groups.get(key) ?? []), file]);
  }
  const sessions = [...groups.values()].map((group) => {
    const ordered = [...group.filter((file) => !file.isPart), ...group.filter((file) => file.isPart)];
    const main = ordered[0] as TranscriptFile;
    return {
      agent: main.agent,
      session: main.session,
      files: ordered,
      folder: main.folder,
      title: main.title,
      messages: ordered.reduce((sum, file) => sum + file.messages, 0),
      bytes: ordered.reduce((sum, file) => sum + file.bytes, 0),
      changedAt: main.changedAt,
    };
  });
  return sessions.toSorted((one, other) => one.changedAt - other.changedAt);
}

const FEED = Buffer.from('\n');

/**
 * The files as the gateway takes them: each behind a line with its name and size, and before a line feed. A file that
 * grows meanwhile is sent as it was when its turn came.
 * @param shown the name of a file as the person knows it
 * @throws the system's error where a file cannot be read
 */
export async function* framesOf(
  files: readonly TranscriptFile[],
  shown: (file: string) => string,
): AsyncGenerator<Buffer> {
  for (const { file } of files) {
    const handle = await open(file);
    try {
      const { size } = await handle.stat();
      yield Buffer.from(`${JSON.stringify({ file: shown(file), bytes: size })}\n`);
      if (size > 0) {
        for await (const piece of handle.createReadStream({ end: size - 1, autoClose: false }))
          yield piece as Buffer;
      }
      yield FEED;
    } finally {
      await handle.close();
    }
  }
}
