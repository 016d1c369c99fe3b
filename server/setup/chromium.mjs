// Finds a Chromium for the browser tests, or installs one: the system's package, or Playwright's own download where
// that is out of reach.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { at, run, runNode, SetupError } from './project.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
/** Milliseconds that Playwright's own download may take. */
const DOWNLOAD_MS = 300_000;

/** Path of a Chromium on the path, or undefined. */
function onPath() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((file) => existsSync(file));
}

/** Path of the Chromium that Playwright would use by itself, if it has been downloaded. */
async function playwrightsOwn() {
  const { chromium } = await import('@playwright/test');
  const file = chromium.executablePath();
  return existsSync(file) ? file : undefined;
}

/** Makes sure that there is a Chromium and answers with its path. */
export async function ensureChromium() {
  const found = (await playwrightsOwn()) ?? onPath();
  if (found) return found;
  if (process.getuid?.() === 0 && (await run('apt-get', ['--version']).catch(() => undefined))) {
    const env = { DEBIAN_FRONTEND: 'noninteractive' };
    const packages = ['install', '-y', '--no-install-recommends', 'chromium'];
    let result = await run('apt-get', packages, { env });
    if (result.code !== 0) {
      await run('apt-get', ['update'], { env });
      result = await run('apt-get', packages, { env });
    }
    const installed = onPath();
    if (installed) return installed;
    throw new SetupError(`Debian's chromium could not be installed:\n${result.output.slice(-2_000)}`);
  }
  await runNode(at('node_modules/@playwright/test/cli.js'), ['install', 'chromium'], {
    timeout: DOWNLOAD_MS,
  });
  const downloaded = await playwrightsOwn();
  if (downloaded) return downloaded;
  throw new SetupError(
    'The browser tests need Chromium: install the package "chromium" and run the tests again.',
  );
}
