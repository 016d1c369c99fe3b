import { z } from 'zod';
import { deleted } from './deletions.ts';
import { documentInput } from './documents.ts';
import { as, type Endpoint } from './endpoint.ts';
import { LEDGER_ENDPOINTS } from './ledger-endpoints.ts';
import { MEMORY_ENDPOINTS } from './memory-endpoints.ts';
import { pauseInput, pauseState } from './pause.ts';
import { projectInput, projectPage, projectSettings, projectSettingsInput } from './projects.ts';
import { recallState } from './recall-settings.ts';
import { listRequestsInput, requestInput } from './requests.ts';
import { document, logMatches, logPage, logRow, pageOf, request, session } from './schemas.ts';
import { searchAnswer, searchInput } from './search.ts';
import { listSessionsInput, logEntryInput, logInput, matchesInput, sessionInput } from './sessions.ts';
import { accountSettings, settingsInput } from './settings.ts';
import { connections, consoleLink, healthAnswer, settings } from './status.ts';
import { hiddenInput, hiddenRound, requestViews, viewMessages, viewMessagesInput } from './views.ts';
import {
  layoutDetail,
  layoutInput,
  layoutPreview,
  layouts,
  sessionSettingsInput,
  undoneLayout,
} from './window.ts';

/** What the model saw of a request. */
const VIEW_ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/requests/{id}/views',
    operationId: 'getRequestViews',
    summary: 'What the client sent, what the model saw, and what differs, with reasons',
    input: requestInput,
    output: requestViews,
    call: (caller, given) => caller.views.get(as(given)),
  },
  {
    method: 'GET',
    path: '/requests/{id}/messages',
    operationId: 'listRequestMessages',
    summary: 'Messages of a request as the client sent them, masked, oldest first',
    input: viewMessagesInput,
    output: viewMessages,
    call: (caller, given) => caller.views.messages(as(given)),
  },
  {
    method: 'GET',
    path: '/requests/{id}/hidden/{record}',
    operationId: 'getHiddenRound',
    summary: 'A call of context-mode-search that the client did not see, with its answer',
    input: hiddenInput,
    output: hiddenRound,
    call: (caller, given) => caller.views.hidden(as(given)),
  },
];

/** The window of a session. */
const WINDOW_ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/sessions/{id}/layouts',
    operationId: 'listLayouts',
    summary: 'The layouts of a session, newest first',
    input: sessionInput,
    output: layouts,
    call: (caller, given) => caller.window.layouts(as(given)),
  },
  {
    method: 'GET',
    path: '/sessions/{id}/layouts/{message}',
    operationId: 'getLayout',
    summary: 'One layout with its index',
    input: layoutInput,
    output: layoutDetail,
    call: (caller, given) => caller.window.layout(as(given)),
  },
  {
    method: 'GET',
    path: '/sessions/{id}/layout-preview',
    operationId: 'previewLayout',
    summary: 'What the next layout of a session would be',
    input: sessionInput,
    output: layoutPreview,
    call: (caller, given) => caller.window.preview(as(given)),
  },
  {
    method: 'POST',
    path: '/sessions/{id}/undo-layout',
    operationId: 'undoLayout',
    summary: 'Take the layout in force back, from the next request on',
    input: sessionInput,
    output: undoneLayout,
    call: (caller, given) => caller.window.undo(as(given)),
  },
  {
    method: 'GET',
    path: '/sessions/{id}/settings',
    operationId: 'getSessionSettings',
    summary: 'What holds for a session, and who says it',
    input: sessionInput,
    output: recallState,
    call: (caller, given) => caller.window.settings(as(given)),
  },
  {
    method: 'PATCH',
    path: '/sessions/{id}/settings',
    operationId: 'updateSessionSettings',
    summary: 'Set what holds for a session; null leaves it to the project',
    input: sessionSettingsInput,
    output: recallState,
    call: (caller, given) => caller.window.updateSettings(as(given)),
  },
];

/** Times in which nothing is recorded. */
const PAUSE_ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/pause',
    operationId: 'getPause',
    summary: 'The pause that is on: nothing is recorded, bytes pass',
    input: z.object({}),
    output: pauseState,
    call: (caller) => caller.pause.get(),
  },
  {
    method: 'POST',
    path: '/pause',
    operationId: 'beginPause',
    summary: 'Record nothing and begin nothing new, for a time or until it is ended',
    input: pauseInput,
    output: pauseState,
    call: (caller, given) => caller.pause.begin(as(given)),
  },
  {
    method: 'POST',
    path: '/resume',
    operationId: 'endPause',
    summary: 'End the pause',
    input: z.object({}),
    output: pauseState,
    call: (caller) => caller.pause.end(),
  },
];

/** Every JSON call under `/api/v1`. */
export const ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/sessions',
    operationId: 'listSessions',
    summary: 'Sessions, last seen first',
    input: listSessionsInput,
    output: pageOf(session),
    call: (caller, given) => caller.sessions.list(as(given)),
  },
  {
    method: 'GET',
    path: '/sessions/{id}',
    operationId: 'getSession',
    summary: 'One session',
    input: sessionInput,
    output: session,
    call: (caller, given) => caller.sessions.get(as(given)),
  },
  {
    method: 'DELETE',
    path: '/sessions/{id}',
    operationId: 'deleteSession',
    summary: 'Delete a session and all that only it refers to, at once',
    input: sessionInput,
    output: deleted,
    call: (caller, given) => caller.sessions.delete(as(given)),
  },
  {
    method: 'GET',
    path: '/projects',
    operationId: 'listProjects',
    summary: 'Projects by name, with what is set for each',
    input: z.object({}),
    output: projectPage,
    call: (caller) => caller.projects.list(),
  },
  {
    method: 'DELETE',
    path: '/projects/{id}',
    operationId: 'deleteProject',
    summary: 'Delete a project: its sessions, worktrees and names, at once',
    input: projectInput,
    output: deleted,
    call: (caller, given) => caller.projects.delete(as(given)),
  },
  {
    method: 'GET',
    path: '/projects/{id}/settings',
    operationId: 'getProjectSettings',
    summary: 'What holds for a project, and who says it',
    input: projectInput,
    output: projectSettings,
    call: (caller, given) => caller.projects.settings(as(given)),
  },
  {
    method: 'PATCH',
    path: '/projects/{id}/settings',
    operationId: 'updateProjectSettings',
    summary: 'Set what holds for a project; null leaves it to the account',
    input: projectSettingsInput,
    output: projectSettings,
    call: (caller, given) => caller.projects.update(as(given)),
  },
  {
    method: 'GET',
    path: '/settings',
    operationId: 'getSettings',
    summary: 'What is set for the account, and how much room its archive takes',
    input: z.object({}),
    output: accountSettings,
    call: (caller) => caller.settings.get(),
  },
  {
    method: 'PATCH',
    path: '/settings',
    operationId: 'updateSettings',
    summary: 'Set what holds for the account',
    input: settingsInput,
    output: accountSettings,
    call: (caller, given) => caller.settings.update(as(given)),
  },
  {
    method: 'DELETE',
    path: '/archive',
    operationId: 'deleteArchive',
    summary: 'Delete every session, project and request of the account, at once',
    input: z.object({}),
    output: deleted,
    call: (caller) => caller.settings.deleteArchive(),
  },
  {
    method: 'GET',
    path: '/sessions/{id}/log',
    operationId: 'readLog',
    summary: "Rows of a session's log, oldest first; with more matches than `limit`, the newest",
    input: logInput,
    output: logPage,
    call: (caller, given) => caller.sessions.log(as(given)),
  },
  {
    method: 'GET',
    path: '/sessions/{id}/matches',
    operationId: 'findMatches',
    summary: "Where a text stands in a session's log, as it is written, in any case",
    input: matchesInput,
    output: logMatches,
    call: (caller, given) => caller.sessions.matches(as(given)),
  },
  {
    method: 'GET',
    path: '/sessions/{id}/log/{seq}',
    operationId: 'readLogEntry',
    summary: 'One event of a log, whole',
    input: logEntryInput,
    output: logRow,
    call: (caller, given) => caller.sessions.logEntry(as(given)),
  },
  {
    method: 'GET',
    path: '/search',
    operationId: 'search',
    summary: 'Documents that fit words and filters, best first',
    input: searchInput,
    output: searchAnswer,
    call: (caller, given) => caller.search.find(as(given)),
  },
  {
    method: 'GET',
    path: '/documents/{docid}',
    operationId: 'getDocument',
    summary: 'One document: an item, or a tool call with its result',
    input: documentInput,
    output: document,
    call: (caller, given) => caller.documents.get(as(given)),
  },
  {
    method: 'GET',
    path: '/requests',
    operationId: 'listRequests',
    summary: 'Requests through the doors, newest first',
    input: listRequestsInput,
    output: pageOf(request),
    call: (caller, given) => caller.requests.list(as(given)),
  },
  {
    method: 'GET',
    path: '/requests/{id}',
    operationId: 'getRequest',
    summary: 'One request: usage, times, how it ended',
    input: requestInput,
    output: request,
    call: (caller, given) => caller.requests.get(as(given)),
  },
  ...VIEW_ENDPOINTS,
  ...LEDGER_ENDPOINTS,
  ...MEMORY_ENDPOINTS,
  ...WINDOW_ENDPOINTS,
  ...PAUSE_ENDPOINTS,
  {
    method: 'GET',
    path: '/connections',
    operationId: 'listConnections',
    summary: 'Agents that came through the doors, with the last request of each',
    input: z.object({}),
    output: connections,
    call: (caller) => caller.status.connections(),
  },
  {
    method: 'GET',
    path: '/status',
    operationId: 'getStatus',
    summary: 'The process: version, folders, upstreams',
    input: z.object({}),
    output: settings,
    call: (caller) => caller.status.settings(),
  },
  {
    method: 'GET',
    path: '/health',
    operationId: 'getHealth',
    summary: 'How the parts of the process are, and how Recall does',
    input: z.object({}),
    output: healthAnswer,
    call: (caller) => caller.status.health(),
  },
  {
    method: 'POST',
    path: '/console-links',
    operationId: 'makeConsoleLink',
    summary: 'An address that opens the console in a browser',
    input: z.object({}),
    output: consoleLink,
    call: (caller) => caller.status.openConsole(),
  },
];

/** The endpoint that a method and a path (below `/api/v1`) name, with the path's parameters; null: none. */
export function matchEndpoint(
  method: string,
  path: string,
): { readonly endpoint: Endpoint; readonly params: Record<string, string> } | null {
  for (const endpoint of ENDPOINTS) {
    if (endpoint.method !== method) continue;
    const params = paramsOf(endpoint.path, path);
    if (params !== null) return { endpoint, params };
  }
  return null;
}

/** The parameters of `path` under a pattern such as `/sessions/{id}`; null where it does not fit. */
export function paramsOf(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    const text = given[at] ?? '';
    if (part.startsWith('{')) {
      if (text === '') return null;
      params[part.slice(1, -1)] = decoded(text);
    } else if (part !== text) return null;
  }
  return params;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
