import { logOf, sessionOf } from './archive.ts';
import type { Talk } from './talk.ts';

/** Talks that go on by themselves until they are stopped. */
export interface Load {
  /**
   * Waits until so many turns have been answered since the load began. It goes on behind that, but not endlessly: a slow
   * machine must not be given more than it can archive before the test ends.
   */
  reach(turns: number): Promise<void>;
  /** Lets each talk end its turn, or fail in it. */
  stop(): Promise<void>;
}

/** Milliseconds between two requests of a talk: less than any agent needs, enough that histories stay small. */
const PAUSE_MS = 20;
/** Turns of each talk behind what was asked to be reached. */
const AHEAD = 8;

/** Starts a load: every talk asks its next question when the last is answered, and asks again where it failed. */
export function startLoad(talks: readonly Talk[], base: string): Load {
  let running = true;
  let turns = 0;
  let wanted = { turns: 0, reached: () => {} };
  const loops = talks.map(async (talk) => {
    while (running) {
      try {
        if (turns < wanted.turns + AHEAD * talks.length) {
          await talk.ask(base);
          turns += 1;
        }
        if (turns >= wanted.turns) wanted.reached();
      } catch {
        // What an agent does: a moment later it asks the same again.
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  });
  return {
    reach: (count) =>
      new Promise((resolve) => {
        wanted = { turns: count, reached: resolve };
        if (turns >= count) resolve();
      }),
    async stop() {
      running = false;
      await Promise.all(loops);
    },
  };
}

/** What the archive has said that it holds: each place of each log, with the document that stands there. */
export type Acknowledged = Map<string, string>;

/** Reads the talks' logs again and again until it is stopped, and keeps what they say. Calls that fail say nothing. */
export function watchArchive(
  url: string,
  talks: readonly Talk[],
  into: Acknowledged,
): { stop(): Promise<void> } {
  let running = true;
  const loop = (async () => {
    while (running) {
      await readAcknowledged(url, talks, into).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  return {
    async stop() {
      running = false;
      await loop;
    },
  };
}

/** Reads the talks' logs once and adds what they say. */
export async function readAcknowledged(
  url: string,
  talks: readonly Talk[],
  into: Acknowledged,
): Promise<void> {
  for (const talk of talks) {
    const session = await sessionOf(url, talk);
    if (session === null) continue;
    for (const row of await logOf(url, session))
      into.set(`${session} ${row.seq}`, `${row.docid} ${row.kind} ${row.body}`);
  }
}
