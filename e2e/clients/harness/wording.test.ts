import { expect, test } from 'vitest';
import { withoutWording } from './wording.ts';

test('a recording keeps its structure, its lengths, its typed words and what it is recognised by', () => {
  const body = JSON.stringify({
    model: 'm',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: '<system-reminder>\nPlease be brief.\n</system-reminder>' },
          { type: 'text', text: 'my own words' },
        ],
      },
      { role: 'system', content: 'Available things: several' },
    ],
    system: [{ type: 'text', text: 'Be helpful.\n - Primary working directory: /home/dev/project' }],
    tools: [
      {
        name: 'Read',
        description: 'Reads a file.',
        input_schema: { properties: { path: { description: 'Which one' } } },
      },
    ],
    max_tokens: 1,
  });
  const scrubbed = JSON.parse(withoutWording(body));
  expect(withoutWording(body).length).toBe(body.length);
  expect(scrubbed.messages[0].content[0].text).toBe(
    '<system-reminder>\nxxxxxx xx xxxxx.\n</system-reminder>',
  );
  expect(scrubbed.messages[0].content[1].text).toBe('my own words');
  expect(scrubbed.messages[1].content).toBe('xxxxxxxxx xxxxxx: xxxxxxx');
  expect(scrubbed.system[0].text).toBe('xx xxxxxxx.\n - Primary working directory: /home/dev/project');
  expect(scrubbed.tools[0]).toEqual({
    name: 'Read',
    description: 'xxxxx a xxxx.',
    input_schema: { properties: { path: { description: 'xxxxx xxx' } } },
  });
});

test('a body that is scrubbed already stays as it is', () => {
  const once = withoutWording(
    JSON.stringify({ messages: [{ role: 'system', content: 'Some words' }], max_tokens: 1 }),
  );
  expect(withoutWording(once)).toBe(once);
});
