import { afterAll, beforeAll, expect } from 'vitest';
import { eventually } from '../../product/eventually.ts';
import type { SessionView } from './archive.ts';
import { type ArchivedSession, expectArchived } from './archived.ts';
import type { Json } from './normalise.ts';
import type { ServedBy } from './product.ts';
import { sessionOf } from './session.ts';
import { readSpoken } from './spoken.ts';
import { type Play, type Played, type Recall, Stage } from './stage.ts';
import type { ViewOfRequest } from './views.ts';

/** What the archive must hold of a play; answers, calls and results come from the provider's log. */
export interface Words {
  /** Texts typed on the main line, each exactly once, in order. */
  readonly typed: readonly string[];
  /** Tasks that the agent gave to sub-agents. */
  readonly delegated?: readonly string[];
  /** The agent compacted its history. */
  readonly rewritten?: boolean;
  /** The agent names no session to its provider: its session is found by the folder of the play. */
  readonly unnamed?: boolean;
}

/** Where a session was archived. */
export interface ArchivedPlace {
  readonly project: string | null;
  readonly worktree: string | null;
  readonly branch: string | null;
}

/** A stage for all tests of a file, opened before the first and closed after the last. */
export interface StageFixture {
  play(play: Play): Promise<Played>;
  /** Null in the control, where there is no archive. */
  expectArchived(played: Played, words: Words): Promise<ArchivedSession | null>;
  /** The sessions that were archived in the folder of a play, once there are so many; null in the control. */
  sessionsIn(played: Played, count: number): Promise<readonly SessionView[] | null>;
  /** Images and files of all documents of a session. */
  mediaOf(archived: ArchivedSession): Promise<readonly { readonly mime: string; readonly bytes: number }[]>;
  /** What the product says of its last requests, oldest first; none in the control. */
  views(): Promise<readonly ViewOfRequest[]>;
  /** The places of a play's sessions in the order in which they were started; null in the control. */
  placesOf(played: Played): Promise<readonly ArchivedPlace[] | null>;
}

/** Opens a stage for the test file that calls it; without Recall, which changes what goes over the wire. */
export function stageOfFile(servedBy: ServedBy = 'own', recall: Recall = 'off'): StageFixture {
  let opened: Stage | null = null;
  const stage = () => {
    if (opened === null) throw new Error('the stage is not open yet');
    return opened;
  };
  beforeAll(async () => {
    opened = await Stage.open(servedBy, recall);
  });
  afterAll(async () => {
    await opened?.close();
  });
  return {
    play: (play) => stage().play(play),
    expectArchived: async (played, words) => {
      const { archive } = stage();
      if (archive === null) return null;
      const [session = ''] = sessionsOf(played);
      const find = () =>
        words.unnamed ? archive.sessionsIn(played.routed.scratch.project) : archive.sessionsOf(session);
      return expectArchived(archive, find, {
        typed: words.typed,
        delegated: words.delegated ?? [],
        rewritten: words.rewritten === true,
        spoken: readSpoken(played.routed.provider.requests.entries),
      });
    },
    sessionsIn: async (played, count) => {
      const { archive } = stage();
      if (archive === null) return null;
      return eventually(async () => {
        const sessions = await archive.sessionsIn(played.routed.scratch.project);
        expect(sessions.length, 'sessions in the folder').toBe(count);
        return sessions;
      });
    },
    mediaOf: async (archived) => {
      const { archive } = stage();
      if (archive === null) return [];
      const ids = archived.log.flatMap((row) => (row.docid === null ? [] : [row.docid]));
      const documents = await Promise.all(ids.map((id) => archive.document(id)));
      return documents.flatMap((document) => document.media);
    },
    views: () => stage().views(),
    placesOf: async (played) => {
      const { archive } = stage();
      if (archive === null) return null;
      return eventually(() => Promise.all(sessionsOf(played).map((session) => placeOf(stage(), session))));
    },
  };
}

/** The sessions of a play, each once, in the order in which they were started. */
function sessionsOf(played: Played): readonly string[] {
  const ids = played.routed.runs.map((run) =>
    sessionOf(
      run.stdout
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Json),
    ),
  );
  return [...new Set(ids.filter((id) => id !== null))];
}

async function placeOf(stage: Stage, clientSessionId: string): Promise<ArchivedPlace> {
  const [session] = (await stage.archive?.sessionsOf(clientSessionId)) ?? [];
  if (session === undefined) throw new Error(`no session ${clientSessionId} in the archive`);
  return {
    project: session.project?.id ?? null,
    worktree: session.worktree?.path ?? null,
    branch: session.worktree?.branch ?? null,
  };
}
