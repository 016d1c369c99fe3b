import { bench, describe } from 'vitest';
import { RETRIEVAL_TOOL, retrievalToolJson } from '../../../recall/index.ts';
import { composeMessages } from '../../anthropic/compose.ts';
import { olderMessages } from '../../anthropic/older.ts';
import { anchorsIn } from '../../anthropic/put-back.ts';
import { composeItems } from '../../openai/compose.ts';
import { olderItems } from '../../openai/older.ts';
import { anchorsIn as keysIn } from '../../openai/put-back.ts';
import { outlinesIn, validateAnthropic, validateOpenai } from '../../validator/index.ts';
import type { BodyPlan, ComposedBody } from '../plan.ts';
import { type ClientRequest, clientRequest, NO_PLAN } from './composing.ts';

/** A session of 3 MB with a tool result of 6 KB in each round. Run by hand: npx vitest bench server/gateway/compose */
const ROUNDS = 420;
const printed = (round: number) =>
  Array.from(
    { length: 110 },
    (_, line) => `${line}\t  const quota_${round} = billing("window", ${line});`,
  ).join('\n');

function messagesRequest(): ClientRequest {
  const rounds = Array.from({ length: ROUNDS }, (_, round) => [
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: `Look at ${round}.`, signature: 'c2ln'.repeat(100) },
        { type: 'text', text: 'Reading.' },
        { type: 'tool_use', id: `toolu_${round}`, name: 'Read', input: { file_path: `/src/${round}.ts` } },
      ],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: `toolu_${round}`, content: printed(round) }],
    },
  ]);
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'Go.' }] }, ...rounds.flat()];
  const tools = [{ name: 'Read', description: 'Reads.', input_schema: { type: 'object' } }];
  return clientRequest('messages', { model: 'claude-opus-4-8', system: 'An agent.', tools, messages });
}

function itemsRequest(): ClientRequest {
  const rounds = Array.from({ length: ROUNDS }, (_, round) => [
    { type: 'reasoning', id: `rs_${round}`, summary: [], encrypted_content: 'Y2lwaGVy'.repeat(50) },
    { type: 'function_call', id: `fc_${round}`, call_id: `call_${round}`, name: 'shell', arguments: '{}' },
    { type: 'function_call_output', call_id: `call_${round}`, output: printed(round) },
  ]);
  const input = [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go.' }] },
    ...rounds.flat(),
  ];
  const tools = [{ type: 'function', name: 'shell', parameters: {} }];
  return clientRequest('input', { model: 'gpt-6.2-sol', store: false, tools, input });
}

interface Case {
  readonly client: ClientRequest;
  readonly compose: typeof composeMessages;
  readonly validate: typeof validateAnthropic;
  readonly tool: string;
  /** Begins the recent part, a fifth of the whole. */
  readonly at: number;
  readonly older: (at: number) => ReturnType<typeof olderMessages>;
  readonly cold: () => unknown;
}

const messages = messagesRequest();
const items = itemsRequest();
const cases: Record<string, Case> = {
  Messages: {
    client: messages,
    compose: composeMessages,
    validate: validateAnthropic,
    tool: retrievalToolJson('anthropic'),
    at: 1 + 2 * Math.floor(ROUNDS * 0.8),
    older: (at) => olderMessages(messages.body, messages.elements, at),
    cold: () => anchorsIn(messages.body, messages.elements),
  },
  Responses: {
    client: items,
    compose: composeItems,
    validate: validateOpenai,
    tool: retrievalToolJson('openai'),
    at: 1 + 3 * Math.floor(ROUNDS * 0.8),
    older: (at) => olderItems(items.body, items.elements, at),
    cold: () => keysIn(items.body, items.elements),
  },
};

for (const [name, { client, compose, validate, tool, at, older, cold }] of Object.entries(cases)) {
  const { body, scan, elements } = client;
  const part = older(at);
  if ('unknown' in part) throw new Error(part.unknown);
  const layout = {
    at,
    runningTyped: 0,
    memory: 'Facts.',
    index: 'Index.\n'.repeat(4000),
    cacheMark: '5m',
    older: part,
  } as const;
  const plans: Record<string, BodyPlan> = {
    'the tool alone': { ...NO_PLAN, tool },
    'a layout': { ...NO_PLAN, tool, layout },
    'a layout that leaves reasoning out': {
      ...NO_PLAN,
      tool,
      layout,
      leavesReasoning: (index) => index < elements.length - 50,
    },
  };
  describe(`${name}, ${(body.length / 1e6).toFixed(1)} MB`, () => {
    for (const [which, plan] of Object.entries(plans)) {
      const composed = compose(body, scan, elements, plan) as ComposedBody;
      const edited = composed.body.joined();
      const outlines = outlinesIn(body, elements);
      const judge = () =>
        validate({
          client: body,
          known: { scan, outlines },
          edited,
          edits: composed.named,
          ownTool: RETRIEVAL_TOOL,
          latestThinking: 'untouched-or-none',
          window: null,
          estimate: () => 0,
        });
      if (!judge().ok) throw new Error(JSON.stringify(judge()));
      bench(`${which}: composed`, () => void compose(body, scan, elements, plan), { time: 500 });
      bench(`${which}: judged`, () => void judge(), { time: 500 });
    }
    bench('cold: the older part', () => void older(at), { time: 300 });
    bench('cold: the outlines', () => void outlinesIn(body, elements), { time: 300 });
    bench('cold: the anchors', () => void cold(), { time: 300 });
  });
}
