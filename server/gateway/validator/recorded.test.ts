import { describe, expect, it } from 'vitest';
import { exchangesOf } from '../reading/testing/recorded.ts';
import { recordedCases } from '../record/recorded.testing.ts';
import { validateAnthropic, validateOpenai } from './index.ts';

describe.each(recordedCases)('the real bodies of %s', (name) => {
  it('are taken as they are', () => {
    const exchanges = exchangesOf(name).filter(({ head }) =>
      /\/(messages|responses)(\?|$)/.test(head.target),
    );
    for (const { head, body } of exchanges) {
      const validate = head.door === 'anthropic' ? validateAnthropic : validateOpenai;
      const verdict = validate({
        client: body,
        edited: Buffer.from(body),
        edits: [],
        ownTool: null,
        latestThinking: 'untouched',
        window: null,
        estimate: () => 0,
      });
      expect(verdict).toEqual({ ok: true });
    }
    expect(exchanges.length + (name.endsWith('count-tokens') ? 1 : 0)).toBeGreaterThan(0);
  });
});
