import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkNode, isInstalled } from './install.mjs';

describe('checkNode', () => {
  it.each(['20.19.0', '20.20.2', '22.0.0', '24.11.1'])('accepts Node %s', (version) => {
    expect(() => checkNode(version)).not.toThrow();
  });

  it.each(['18.20.8', '20.18.3'])('refuses Node %s, naming both versions', (version) => {
    expect(() => checkNode(version)).toThrow(`needs Node 20.19 or newer; this is Node ${version}`);
  });
});

describe('isInstalled', () => {
  let folder;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'install-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const one = { version: '1.0.0', integrity: 'sha512-one' };
  const lock = (packages) =>
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: { '': {}, ...packages } }));
  const installed = (packages) => {
    mkdirSync(join(folder, 'node_modules'), { recursive: true });
    writeFileSync(join(folder, 'node_modules', '.package-lock.json'), JSON.stringify({ packages }));
  };

  it('says no where nothing is installed', () => {
    lock({ 'node_modules/one': one });
    expect(isInstalled(folder)).toBe(false);
  });

  it('says yes if every package is there as the lock file names it', () => {
    lock({ 'node_modules/one': one });
    installed({ 'node_modules/one': one });
    expect(isInstalled(folder)).toBe(true);
  });

  it.each([
    ['another version', { version: '1.0.1', integrity: 'sha512-two' }],
    ['other content', { version: '1.0.0', integrity: 'sha512-two' }],
  ])('says no after the lock file came to name %s', (_, entry) => {
    lock({ 'node_modules/one': entry });
    installed({ 'node_modules/one': one });
    expect(isInstalled(folder)).toBe(false);
  });

  it('says no if a package is missing, unless it is one for other machines', () => {
    installed({});
    lock({ 'node_modules/one': one });
    expect(isInstalled(folder)).toBe(false);
    lock({ 'node_modules/one': { ...one, optional: true } });
    expect(isInstalled(folder)).toBe(true);
  });
});
