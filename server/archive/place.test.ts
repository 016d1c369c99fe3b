import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normalRemote, placeName } from './place.ts';

const nothing = { folder: null, root: null, remoteUrl: null, branch: null, commit: null, isRepository: null };

describe('a remote address', () => {
  test('has one form for all ways to write it', () => {
    for (const remote of [
      'https://example.com/team/app.git',
      'https://Example.COM/team/app/',
      'https://me:secret@example.com/team/app.git',
      'https://ghp_token@example.com/team/app',
      'ssh://git@example.com/team/app.git',
      'ssh://git@example.com:22/team/app.git',
      'git@example.com:team/app.git',
      'example.com:/team/app',
      'git://example.com/team/app.git?x=1#y',
      ' https://example.com:443//team/app.git ',
    ]) {
      expect(normalRemote(remote), remote).toBe('example.com/team/app');
    }
  });

  test('keeps what tells repositories apart', () => {
    const different = [
      'https://example.com/team/app',
      'https://example.com/team/App',
      'https://example.com:8443/team/app',
      'https://example.org/team/app',
      '/srv/git/app.git',
      'C:\\git\\app',
    ].map(normalRemote);
    expect(new Set(different).size).toBe(different.length);
    expect(normalRemote('/srv/git/app.git')).toBe('/srv/git/app');
  });

  test('never holds credentials', () => {
    const word = fc.stringMatching(/^[A-Za-z0-9_]{6,20}$/);
    fc.assert(
      fc.property(word, word, fc.constantFrom('https', 'http', 'ssh'), (user, secret, scheme) => {
        const kept = normalRemote(`${scheme}://${user}~:${secret}~@host.example/p/q.git`) ?? '';
        expect(kept).toBe('host.example/p/q');
      }),
    );
  });
});

describe('a place', () => {
  test('is the remote first, then the shared folder, then the folder', () => {
    const located = { root: '/w/two', commonDir: '/w/one/.git', remoteUrl: null, branch: 'b' };
    expect(placeName({ ...nothing, folder: '/w/two/src' }, located)).toEqual({
      identities: ['repository:/w/one/.git'],
      project: 'one',
      path: '/w/two',
      branch: 'b',
    });
    expect(placeName({ ...nothing, folder: '/w/x' }, null)).toEqual({
      identities: ['folder:/w/x'],
      project: 'x',
      path: '/w/x',
      branch: null,
    });
    const remoteUrl = 'git@example.com:team/app.git';
    expect(placeName({ ...nothing, folder: '/w/two/src', remoteUrl }, located)).toMatchObject({
      identities: ['remote:example.com/team/app', 'repository:/w/one/.git'],
      project: 'app',
      path: '/w/two',
    });
    expect(placeName({ ...nothing, root: '/w/two', folder: '/w/two/src', remoteUrl }, null)).toMatchObject({
      identities: ['remote:example.com/team/app', 'repository:/w/two'],
      path: '/w/two',
    });
  });

  test('that nobody claimed is none', () => {
    expect(placeName(nothing, null)).toBeNull();
    expect(placeName({ ...nothing, remoteUrl: 'https://example.com/a' }, null)).toBeNull();
  });
});
