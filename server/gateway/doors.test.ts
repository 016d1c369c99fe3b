import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchDoor, upstreamBase, upstreamTarget } from './doors.ts';

const door = (name: string, target: string, key: string | null = null) => ({
  kind: 'door',
  door: name,
  target,
  key,
});

describe('matchDoor', () => {
  test.each([
    ['/anthropic/v1/messages?beta=true', door('anthropic', '/v1/messages?beta=true')],
    ['/openai/v1/responses', door('openai', '/v1/responses')],
    ['/chatgpt/codex/responses', door('chatgpt', '/codex/responses')],
    ['/anthropic', door('anthropic', '/')],
    ['/anthropic/', door('anthropic', '/')],
    ['/anthropic?x=1', door('anthropic', '/?x=1')],
    ['/k/cmk_a%20b/openai/v1/models', door('openai', '/v1/models', 'cmk_a%20b')],
    ['/k/cml_a/chatgpt/codex/responses', door('chatgpt', '/codex/responses', 'cml_a')],
    ['/anthropic/%2e%2e//a?//', door('anthropic', '/%2e%2e//a?//')],
  ])('%s is a door', (target, expected) => {
    expect(matchDoor(target)).toEqual(expected);
  });

  test.each(['/', '/anthropics/v1', '/api/v1/sessions', '*'])('%s is no door', (target) => {
    expect(matchDoor(target)).toBeNull();
  });

  test.each([
    ['http://evil.example/anthropic/v1/messages', null],
    ['https://api.anthropic.com/', null],
    ['//evil.example/anthropic/', null],
    ['//anthropic/v1', 'anthropic'],
    ['/anthropic//evil.example/v1', 'anthropic'],
    ['/k/key/openai//evil.example', 'openai'],
    ['/k/', null],
    ['/k//anthropic/x', null],
    ['/k/key', null],
    ['/k/key//evil.example', null],
    ['/k/key/api/v1/sessions', null],
    ['evil.example:443', null],
  ])('%s is refused', (target, named) => {
    expect(matchDoor(target)).toMatchObject({ kind: 'refused', door: named });
  });

  test('what stands behind a door is never changed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (rest) => {
        const match = matchDoor(`/openai/${rest}`);
        if (rest.startsWith('/')) expect(match).toMatchObject({ kind: 'refused' });
        else expect(match).toEqual(door('openai', `/${rest}`));
      }),
    );
  });
});

describe('upstreamTarget', () => {
  const bare = upstreamBase('https://api.example.com');
  const deep = upstreamBase('https://example.com:8443/backend-api/');

  test('the base is what was configured', () => {
    expect(bare).toEqual({ origin: 'https://api.example.com', host: 'api.example.com', path: '' });
    expect(deep).toEqual({
      origin: 'https://example.com:8443',
      host: 'example.com:8443',
      path: '/backend-api',
    });
  });

  test('targets are put behind the base path as they are', () => {
    expect(upstreamTarget(bare, '/a/../../b?x=/../')).toBe('/a/../../b?x=/../');
    expect(upstreamTarget(deep, '/codex/./x/../responses?y=%2e%2e')).toBe(
      '/backend-api/codex/./x/../responses?y=%2e%2e',
    );
  });

  test.each([
    '/..',
    '/../admin',
    '/a/../../admin',
    '/%2e%2E/admin',
    '/.%2e/admin',
    '/a/..%2f..%2fadmin',
    '/..\\admin',
    '/a/..;x/../..',
    '/./..',
  ])('%s does not climb out of a base path', (target) => {
    expect(upstreamTarget(deep, target)).toBeNull();
  });

  test('whatever is let through stays under the base path once resolved', () => {
    const piece = fc.constantFrom(
      'a',
      '.',
      '..',
      '%2e',
      '%2E%2e',
      '.%2e',
      '',
      'b;c',
      '?',
      '#',
      '\\',
      '%5c',
      '%2f',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const target = upstreamTarget(deep, `/${pieces.join('/')}`);
        if (target === null) return;
        expect(new URL(target, 'https://example.com').pathname).toMatch(/^\/backend-api(\/|$)/);
      }),
      { numRuns: 2_000 },
    );
  });
});
