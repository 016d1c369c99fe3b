import type { AgentName } from '../../conversation/index.ts';

/** How the prompt begins with which OpenCode (1.18.33) and Pi (0.73.1) ask for a summary of a conversation. */
export const SUMMARIZER = 'You are a context summarization';
/** How the prompt begins with which OpenCode asks for a title. */
export const TITLE_WRITER = 'You are a title generator';

/** Which program sent a request, by its headers alone. */
export interface AgentClaim {
  readonly agent: AgentName;
  readonly version: string | null;
}

const BY_USER_AGENT: readonly (readonly [RegExp, AgentName])[] = [
  [/^claude-(?:cli|code)\/([0-9A-Za-z.+-]+)/, 'claude-code'],
  [/^codex[a-z_-]*\/([0-9A-Za-z.+-]+)/i, 'codex'],
  [/(?:^|\s)opencode\/([0-9A-Za-z.+-]+)/, 'opencode'],
  [/(?:^|\s)pi(?:-coding-agent)?\/([0-9A-Za-z.+-]+)/, 'pi'],
];

/**
 * Reads `user-agent`, then the headers that only one agent sends. `unknown` where nothing tells; Pi sends its SDK's
 * user agent alone, so that on some protocols only the prompt can tell.
 */
export function agentOf(headers: ReadonlyMap<string, string>): AgentClaim {
  const userAgent = headers.get('user-agent') ?? '';
  for (const [pattern, agent] of BY_USER_AGENT) {
    const match = pattern.exec(userAgent);
    if (match !== null) return { agent, version: match[1] ?? null };
  }
  const originator = headers.get('originator') ?? '';
  if (/^codex/i.test(originator) || headers.has('x-codex-turn-metadata'))
    return { agent: 'codex', version: headers.get('version') ?? null };
  if (originator === 'opencode') return { agent: 'opencode', version: null };
  if (headers.has('x-claude-code-session-id')) return { agent: 'claude-code', version: null };
  if (headers.has('session_id') && userAgent.startsWith('OpenAI/JS')) return { agent: 'pi', version: null };
  return { agent: 'unknown', version: null };
}

/** What OpenCode says of a conversation in headers; sub-agents have a session of their own and name their parent's. */
export function openCodeSession(headers: ReadonlyMap<string, string>): {
  readonly session: string | null;
  readonly thread: string | null;
} {
  const own = headers.get('x-session-id') ?? headers.get('x-session-affinity') ?? null;
  const parent = headers.get('x-parent-session-id') ?? null;
  return parent === null || parent === own
    ? { session: own, thread: null }
    : { session: parent, thread: own };
}
