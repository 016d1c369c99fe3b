import { describe, expect, it } from 'vitest';
import { breachesIn } from './check-sources.mjs';

describe('the sources check', () => {
  it.each([
    ['the environment', 'const a = process.env.HOME;'],
    ['the clock', 'const a = Date.now();'],
    ['the clock as a date', 'const a = new Date();'],
    ['randomness', 'const a = Math.random();'],
    ['the network', "const a = await fetch('http://127.0.0.1');"],
  ])('finds a use of %s in product code and says where', (_, line) => {
    expect(breachesIn('server/archive/store.ts', `// first\n${line}\n`)).toEqual([
      expect.stringMatching(/^server\/archive\/store\.ts:2: /),
    ]);
  });

  it('lets the kernel, the upstream file and tests do what is theirs', () => {
    expect(breachesIn('server/kernel/clock.ts', 'Date.now()')).toEqual([]);
    expect(breachesIn('server/gateway/upstream.ts', 'fetch(url)')).toEqual([]);
    expect(breachesIn('server/archive/store.test.ts', 'process.env.A; Date.now()')).toEqual([]);
  });

  it('is not misled by comments, dates of a value, or methods of other things', () => {
    const text =
      '/* Date.now() */ // process.env\nconst a = new Date(millis);\nconst b = archive.fetch(id);\n';
    expect(breachesIn('server/archive/store.ts', text)).toEqual([]);
  });

  it('refuses names that gather what belongs nowhere', () => {
    expect(breachesIn('server/archive/utils.ts', '')).toHaveLength(1);
    expect(breachesIn('app/helpers/names.ts', '')).toHaveLength(1);
  });
});
