import { describe, expect, it } from 'vitest';
import { hexOf, type Message, messageHash, rootHash } from '../../conversation/index.ts';
import type { ProtocolAdapter } from '../adapter.ts';
import { anthropicAdapter } from '../anthropic/index.ts';
import { openaiAdapter } from '../openai/index.ts';
import type { ElementHints } from './injected.ts';
import { exchangesOf, jsonOf } from './testing/recorded.ts';

const identities = (name: string, adapter: ProtocolAdapter) =>
  exchangesOf(name).map(({ head, body }) => {
    const identity = adapter.readRequest(head, body)?.identity;
    if (identity === undefined) throw new Error('unreadable');
    return identity;
  });
const kindsOf = (name: string, adapter: ProtocolAdapter) =>
  identities(name, adapter).map((identity) => identity.kind);

describe.each([
  ['anthropic', anthropicAdapter],
  ['openai', openaiAdapter],
] as const)('what OpenCode and Pi send on %s', (protocol, adapter) => {
  it('is told apart: titles, turns, sub-agents', () => {
    expect(kindsOf(`opencode/${protocol}-session`, adapter)).toEqual([
      'title',
      'main',
      'main',
      'main',
      'main',
    ]);
    const subagent = kindsOf(`opencode/${protocol}-subagent`, adapter);
    expect(subagent).toEqual(['title', 'main', 'subagent', 'subagent', 'main', 'main']);
    expect(new Set(kindsOf(`pi/${protocol}-session`, adapter))).toEqual(new Set(['main']));
  });

  it('names OpenCode’s session, a sub-agent as a thread of its parent’s', () => {
    const all = identities(`opencode/${protocol}-subagent`, adapter);
    expect(new Set(all.map((identity) => identity.clientSessionId)).size).toBe(1);
    expect(all.map((identity) => identity.clientThreadId !== null)).toEqual([
      false,
      false,
      true,
      true,
      false,
      false,
    ]);
    for (const identity of all) {
      expect(identity).toMatchObject({ agent: 'opencode', agentVersion: '1.18.33', uncertain: null });
    }
  });

  it('says where it works in the prompt', () => {
    for (const agent of ['opencode', 'pi']) {
      const turn = identities(`${agent}/${protocol}-session`, adapter).at(-1);
      expect(turn?.place.folder).toBe('/home/dev/project');
      expect(turn?.agent).toBe(agent);
    }
  });
});

it('Pi names its session on Responses, and none on Messages', () => {
  const [named] = identities('pi/openai-session', openaiAdapter);
  expect(named?.clientSessionId).toMatch(/^[0-9a-f-]{36}$/);
  const [unnamed] = identities('pi/anthropic-session', anthropicAdapter);
  expect(unnamed).toMatchObject({ clientSessionId: null, uncertain: 'the request names no session' });
});

it('a request for a summary is a compaction', () => {
  expect(kindsOf('opencode/anthropic-compaction', anthropicAdapter)).toContain('compaction');
  expect(kindsOf('pi/anthropic-compaction', anthropicAdapter)[2]).toBe('compaction');
  expect(identities('pi/anthropic-compaction', anthropicAdapter)[2]?.agent).toBe('pi');
});

/** A user message with these texts as each protocol has it. */
const messages = {
  anthropic: (texts: readonly string[], hints?: ElementHints): Message =>
    anthropicAdapter.parseMessage(
      jsonOf({ role: 'user', content: texts.map((text) => ({ type: 'text', text })) }),
      hints,
    ),
  openai: (texts: readonly string[], hints?: ElementHints): Message =>
    openaiAdapter.parseMessage(
      jsonOf({ role: 'user', content: texts.map((text) => ({ type: 'input_text', text })) }),
      hints,
    ),
};

describe.each(['anthropic', 'openai'] as const)('the words that an agent adds (%s)', (protocol) => {
  const kinds = (texts: readonly string[], hints?: ElementHints) =>
    messages[protocol](texts, hints).items.map((item) => item.kind);
  const later = { agent: 'opencode', first: false } as const;

  it('are not a person’s: OpenCode', () => {
    const reading = 'Called the Read tool with the following input: {"filePath":"/a"}';
    expect(kinds(['look', reading, '<path>/a</path>', 'and more'], later)).toEqual([
      'input',
      'injected',
      'injected',
      'input',
    ]);
    expect(kinds(['The following tool was executed by the user'], later)).toEqual(['injected']);
    expect(
      kinds(
        [
          'Continue if you have next steps, or stop and ask for clarification if you are unsure how to proceed.',
        ],
        later,
      ),
    ).toEqual(['injected']);
  });

  it('are not a person’s: Pi', () => {
    const pi = { agent: 'pi', first: false } as const;
    expect(kinds(['Ran `ls`\n```\na\n```', 'Ran `true`\n(no output)', 'Ran `ls` yesterday'], pi)).toEqual([
      'injected',
      'injected',
      'input',
    ]);
    const summary =
      'The conversation history before this point was compacted into the following summary:\n\nx';
    expect(kinds([summary], pi)).toEqual(['injected']);
  });

  it('are believed only of the agent that uses them, and only where it does', () => {
    const asked = 'What did we do so far?';
    expect(kinds([asked], { agent: 'opencode', first: true })).toEqual(['injected']);
    expect(kinds([asked], later)).toEqual(['input']);
    expect(kinds([asked], { agent: 'pi', first: true })).toEqual(['input']);
    expect(kinds([asked])).toEqual(['input']);
  });

  it('do not name a message where OpenCode sends them once only; they are kept', () => {
    const reminder = '<system-reminder>\nPlan only.\n</system-reminder>';
    const name = (texts: readonly string[]) => {
      const { role, canonical } = messages[protocol](texts, later);
      const key = new Uint8Array(32);
      return hexOf(messageHash(key, rootHash(key, null), role, canonical));
    };
    expect(name(['do it', reminder])).toBe(name(['do it']));
    expect(name(['do it', `${reminder} mine`])).not.toBe(name(['do it']));
    expect(messages[protocol](['do it', reminder], later).items.map((item) => item.text)).toEqual([
      'do it',
      reminder,
    ]);
  });
});
