import { bench, describe } from 'vitest';
import { scanBody } from '../scan.ts';

const ARRAYS = new Set(['messages', 'tools']);

/** A body of about 3.5 MB whose messages hold this text. Run by hand: npx vitest bench server/conversation */
function bodyOf(text: string): Buffer {
  const message = { role: 'user', content: [{ type: 'text', text }] };
  const count = Math.ceil(3_500_000 / JSON.stringify(message).length);
  return Buffer.from(
    JSON.stringify({ model: 'm', messages: Array.from({ length: count }, () => message), tools: [] }),
  );
}

describe('3.5 MB', () => {
  const bodies: Record<string, Buffer> = {
    prose: bodyOf('word '.repeat(1000)),
    'lines of code': bodyOf(`${'  const x = 1;'.repeat(4)}\n`.repeat(80)),
    'a quote every 8 characters': bodyOf('a "word" '.repeat(400)),
    'a quote every 48 characters': bodyOf(`${'x'.repeat(47)}"`.repeat(80)),
    'quotes and backslashes alone': bodyOf('"\\'.repeat(1700)),
    'JSON in strings': bodyOf(
      JSON.stringify(Array.from({ length: 100 }, (_, id) => ({ id, name: `name ${id}` }))),
    ),
    'messages of one word': bodyOf('hello'),
  };
  for (const [name, body] of Object.entries(bodies))
    bench(name, () => void scanBody(body, ARRAYS), { time: 300 });
});
