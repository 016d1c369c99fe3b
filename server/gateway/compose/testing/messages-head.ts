type Json = Record<string, unknown>;

const SYSTEM_WORDS = 'You are an interactive agent that helps with software engineering.';

/** Who speaks the Messages API: Claude Code, which names its session, or Pi, whose prompt ends with its folder. */
export type Speaker = 'claude-code' | { readonly pi: string };

/** What a body says of its sender. @param folder the one that Claude Code says it works in; left out: none */
export function senderFields(speaker: Speaker, session: string, folder?: string): Json {
  if (speaker !== 'claude-code') {
    const text = `You help.\nCurrent date: 2026-12-01\nCurrent working directory: ${speaker.pi}`;
    return { system: [{ type: 'text', text, cache_control: { type: 'ephemeral' } }] };
  }
  const where = folder === undefined ? '' : `\n - Primary working directory: ${folder}`;
  return {
    system: [
      { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.197.d3f; cc_entrypoint=cli;' },
      { type: 'text', text: `${SYSTEM_WORDS}${where}`, cache_control: { type: 'ephemeral' } },
    ],
    metadata: {
      user_id: JSON.stringify({ device_id: 'd'.repeat(64), account_uuid: '', session_id: session }),
    },
  };
}

/** The headers of a request by its sender. */
export function senderHeaders(speaker: Speaker, session: string): Record<string, string> {
  const all = {
    'content-type': 'application/json',
    'anthropic-version': '2023-06-01',
    'x-api-key': 'sk-test',
  };
  if (speaker !== 'claude-code')
    return {
      ...all,
      'user-agent': 'Anthropic/JS 0.91.1',
      'anthropic-beta': 'fine-grained-tool-streaming-2025-05-14,interleaved-thinking-2025-05-14',
    };
  return {
    ...all,
    'user-agent': 'claude-cli/2.1.197 (external, cli)',
    'x-claude-code-session-id': session,
    'anthropic-beta':
      'claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27,mid-conversation-system-2026-04-07',
  };
}
