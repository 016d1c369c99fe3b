import { documentsRouter } from './documents.ts';
import { ledgerRouter } from './ledger.ts';
import { liveRouter } from './live.ts';
import { memoryRouter } from './memory.ts';
import { pauseRouter } from './pause.ts';
import { projectsRouter } from './projects.ts';
import { requestsRouter } from './requests.ts';
import { searchRouter } from './search.ts';
import { sessionsRouter } from './sessions.ts';
import { settingsRouter } from './settings.ts';
import { statusRouter } from './status.ts';
import { createCallerFactory, router } from './trpc.ts';
import { viewsRouter } from './views.ts';
import { windowRouter } from './window.ts';

/** Everything that the console can ask, one router per area. */
export const appRouter = router({
  documents: documentsRouter,
  ledger: ledgerRouter,
  live: liveRouter,
  memory: memoryRouter,
  pause: pauseRouter,
  projects: projectsRouter,
  requests: requestsRouter,
  search: searchRouter,
  sessions: sessionsRouter,
  settings: settingsRouter,
  status: statusRouter,
  views: viewsRouter,
  window: windowRouter,
});

/** The type that the console's client is made from. */
export type AppRouter = typeof appRouter;

/** Calls the procedures inside the process. */
export const createCaller = createCallerFactory(appRouter);
