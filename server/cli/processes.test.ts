import { expect, test } from 'vitest';
import { listProcesses, parseListing, processesNamed } from './processes.ts';

const LISTING = `
    1     0 /sbin/init
  100     1 /home/a/.local/bin/claude --resume
  101   100 /bin/zsh -c claude
  200     1 node /usr/lib/node_modules/.bin/codex exec hello
  201   200 /usr/lib/codex-linux-x64/bin/codex exec hello
  300     1 vim claude
  301     1 C:\\Users\\a\\claude.exe
  302     1 node /opt/claude-code/cli.js
`;

test('an agent is found by its program, or by its script where Node runs it, and its launcher counts once', () => {
  const processes = parseListing(LISTING);
  expect(processesNamed(processes, ['claude']).map(({ pid }) => pid)).toEqual([100, 301]);
  expect(processesNamed(processes, ['codex']).map(({ pid }) => pid)).toEqual([200]);
});

test("another user's agent is none of ours", () => {
  const other = parseListing('7 1 claude').map((process) => ({ ...process, own: false }));
  expect(processesNamed(other, ['claude'])).toEqual([]);
});

test('this process is among those that the system lists, with its parent and command', async () => {
  const processes = await listProcesses(process.platform, async () => '');
  const own = processes.find(({ pid }) => pid === process.pid);
  expect(own).toMatchObject({ parent: process.ppid, own: true });
  expect(own?.command.length).toBeGreaterThan(0);
});
