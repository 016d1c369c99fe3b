import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HiddenRound } from '../hidden/types.ts';
import { dataOf, readEvents } from '../reading/events.ts';
import { readAnswer } from './answer.ts';
import { hiddenMessages } from './hidden-stream.ts';

const TOOL = 'context-mode-search';

type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'ours'; readonly id: string; readonly input: string }
  | { readonly kind: 'client'; readonly id: string; readonly input: string };

const said = (name: string, data: object) =>
  `event: ${name}\ndata: ${JSON.stringify({ type: name, ...data })}\n\n`;

function startOf(part: Part): object {
  if (part.kind === 'text') return { type: 'text', text: '' };
  if (part.kind === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  return { type: 'tool_use', id: part.id, name: part.kind === 'ours' ? TOOL : 'Read', input: {} };
}

function deltasOf(part: Part): object[] {
  if (part.kind === 'text') return [{ type: 'text_delta', text: part.text }];
  if (part.kind === 'thinking') {
    return [
      { type: 'thinking_delta', thinking: part.text },
      { type: 'signature_delta', signature: 'c2ln' },
    ];
  }
  return [...part.input].map((character) => ({ type: 'input_json_delta', partial_json: character }));
}

/** An upstream answer as its provider streams it. */
function streamOf(parts: readonly Part[], stop: string, output: number): string {
  const message = { id: `msg_${output}`, type: 'message', role: 'assistant', model: 'm', content: [] };
  const blocks = parts.map((part, index) =>
    [
      said('content_block_start', { index, content_block: startOf(part) }),
      ...deltasOf(part).map((delta) => said('content_block_delta', { index, delta })),
      said('content_block_stop', { index }),
    ].join(''),
  );
  return [
    said('message_start', { message: { ...message, usage: { input_tokens: 10, output_tokens: 1 } } }),
    said('ping', {}),
    ...blocks,
    said('message_delta', {
      delta: { stop_reason: stop, stop_sequence: null },
      usage: { output_tokens: output },
    }),
    said('message_stop', {}),
  ].join('');
}

/** Sends answers through, each in pieces of a size; what the client got, and what each was. */
function through(answers: readonly string[], size: number): { client: string; rounds: HiddenRound[] } {
  const stream = hiddenMessages(TOOL);
  const client: Uint8Array[] = [];
  const rounds = answers.map((answer) => {
    const bytes = Buffer.from(answer);
    for (let at = 0; at < bytes.length; at += size)
      client.push(...stream.push(bytes.subarray(at, at + size)));
    const ended = stream.endRound();
    client.push(...ended.bytes);
    return ended.round;
  });
  return { client: Buffer.concat(client).toString(), rounds };
}

describe('the client of a hidden loop', () => {
  test('gets one message of what the answers say, with the last one’s end and usage alone', () => {
    const first = streamOf(
      [
        { kind: 'text', text: 'Looking. ' },
        { kind: 'ours', id: 'toolu_1', input: '{"q":"x"}' },
      ],
      'tool_use',
      7,
    );
    const second = streamOf([{ kind: 'text', text: 'Found.' }], 'end_turn', 9);
    const { client, rounds } = through([first, second], 50);
    const read = readAnswer(200, 'text/event-stream', Buffer.from(client));
    expect(read.messages[0]?.items.map((item) => item.text)).toEqual(['Looking. ', 'Found.']);
    expect(read).toMatchObject({ complete: true, stopReason: 'end_turn', providerId: 'msg_7' });
    expect(read.usage?.output).toBe(9);
    expect(rounds).toMatchObject([
      { outcome: 'continue', calls: [{ id: 'toolu_1', input: '{"q":"x"}' }], position: 1 },
      { outcome: 'whole', calls: [] },
    ]);
    expect(rounds[0]?.parts.map((part) => JSON.parse(part))).toEqual([
      { type: 'text', text: 'Looking. ' },
      { type: 'tool_use', id: 'toolu_1', name: TOOL, input: { q: 'x' } },
    ]);
  });

  test('is told nothing of what the rounds cost, which each round says as far as its answer came', () => {
    const usage = { cache_read_input_tokens: 70, cache_creation: { ephemeral_5m_input_tokens: 5 } };
    const answer = streamOf([{ kind: 'ours', id: 'toolu_1', input: '{}' }], 'tool_use', 7).replace(
      '"input_tokens":10,',
      `"input_tokens":10,${JSON.stringify(usage).slice(1, -1)},`,
    );
    for (let length = 0; length <= answer.length; length += 23) {
      const came = answer.slice(0, length);
      const { usage, stopReason, providerId, model } = readAnswer(
        200,
        'text/event-stream',
        Buffer.from(came.slice(0, came.lastIndexOf('\n\n') + 2)),
      );
      const [round, next] = through([came, streamOf([], 'end_turn', 3)], 40).rounds;
      expect(round).toMatchObject({ usage, stopReason, providerId, model });
      expect(next).toMatchObject({ usage: { input: 10, cacheRead: null, output: 3 }, providerId: 'msg_3' });
    }
    expect(through([answer], 40).rounds[0]).toMatchObject({
      usage: { input: 10, cacheRead: 70, cacheWrite5m: 5, output: 7 },
      stopReason: 'tool_use',
      providerId: 'msg_7',
      model: 'm',
    });
  });

  test('gets its own calls with the end of the answer, where the model called both', () => {
    const parts: Part[] = [
      { kind: 'ours', id: 'toolu_1', input: '{"q":"x"}' },
      { kind: 'client', id: 'toolu_2', input: '{"file":"a"}' },
    ];
    const { client, rounds } = through([streamOf(parts, 'tool_use', 5)], 1_000);
    expect(rounds[0]).toMatchObject({ outcome: 'mixed', position: 1 });
    const read = readAnswer(200, 'text/event-stream', Buffer.from(client));
    expect(read.messages[0]?.items.map((item) => item.tool?.callId)).toEqual(['toolu_2']);
    expect(read).toMatchObject({ complete: true, stopReason: 'tool_use' });
  });

  test('gets the end where the model ran out of tokens in a call of ours, and no piece of the call', () => {
    const parts: Part[] = [
      { kind: 'text', text: 'a' },
      { kind: 'ours', id: 'toolu_1', input: '{"q":"unfin' },
    ];
    const { client, rounds } = through([streamOf(parts, 'max_tokens', 5)], 33);
    expect(rounds[0]?.outcome).toBe('whole');
    expect(client).not.toContain('unfin');
    expect(readAnswer(200, 'text/event-stream', Buffer.from(client)).stopReason).toBe('max_tokens');
  });

  test('gets an error of the provider as it came, also behind a call of ours', () => {
    const error = said('error', { error: { type: 'overloaded_error', message: 'Overloaded' } });
    const cut = streamOf([{ kind: 'ours', id: 'toolu_1', input: '{}' }], 'tool_use', 5).split(
      'event: message_delta',
    )[0];
    const { client, rounds } = through([`${cut}${error}`], 70);
    expect(rounds[0]?.outcome).toBe('broken');
    expect(client.endsWith(error)).toBe(true);
  });

  test('sees what the model merely writes of the tool: these are its words', () => {
    const answer = streamOf([{ kind: 'text', text: `Use ${TOOL} for that.` }], 'end_turn', 3);
    expect(through([answer], 10).client).toBe(answer);
  });
});

const words = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 });
let ids = 0;
const part: fc.Arbitrary<Part> = fc.oneof(
  words.map((text): Part => ({ kind: 'text', text })),
  words.map((text): Part => ({ kind: 'thinking', text })),
  words.map(
    (q): Part => ({ kind: 'ours', id: `toolu_hidden_${ids++}`, input: JSON.stringify({ q: `secret ${q}` }) }),
  ),
);
const answers = fc.array(fc.array(part, { maxLength: 5 }), { minLength: 1, maxLength: 4 }).map((rounds) =>
  rounds.map((parts, index): Part[] => {
    const visible = parts.filter((one) => one.kind !== 'ours');
    if (index === rounds.length - 1) return visible;
    return [...parts, { kind: 'ours', id: `toolu_hidden_${ids++}`, input: '{"q":"secret"}' }];
  }),
);

test('whatever the answers hold and however they are cut, the client gets their visible parts and nothing of ours', () => {
  fc.assert(
    fc.property(answers, fc.integer({ min: 1, max: 400 }), (rounds, size) => {
      const streams = rounds.map((parts, index) =>
        streamOf(parts, index === rounds.length - 1 ? 'end_turn' : 'tool_use', index + 2),
      );
      const { client, rounds: read } = through(streams, size);
      const indices: number[] = [];
      const kinds: unknown[] = [];
      for (const event of readEvents(Buffer.from(client))) {
        const data = dataOf(event);
        kinds.push(data?.type);
        if (data?.type === 'content_block_start') indices.push(Number(data.index));
      }
      const visible = rounds.flat().filter((one) => one.kind === 'text' || one.kind === 'thinking');
      expect(indices).toEqual(visible.map((_, index) => index));
      expect(kinds.filter((kind) => kind === 'message_start' || kind === 'message_stop')).toHaveLength(2);
      const message = readAnswer(200, 'text/event-stream', Buffer.from(client)).messages[0];
      expect((message?.items ?? []).map((item) => item.text)).toEqual(
        visible.map((one) => ('text' in one ? one.text : '')),
      );
      expect(client).not.toContain('toolu_hidden');
      expect(client).not.toContain('input_json_delta');
      const produced = read.flatMap((round) => round.calls.map((call) => call.id));
      expect(produced).toEqual(rounds.flat().flatMap((one) => (one.kind === 'ours' ? [one.id] : [])));
    }),
  );
});

test('an answer without a call of ours reaches the client byte for byte', () => {
  const plain = fc.array(part, { maxLength: 5 }).map((parts) => parts.filter((one) => one.kind !== 'ours'));
  fc.assert(
    fc.property(plain, fc.integer({ min: 1, max: 400 }), fc.nat(3_000), (parts, size, cut) => {
      const answer = streamOf(parts, 'end_turn', 3);
      expect(through([answer], size).client).toBe(answer);
      const broken = Buffer.from(answer).subarray(0, cut);
      expect(through([broken.toString('latin1')], size).client).toBe(broken.toString('latin1'));
    }),
  );
});
