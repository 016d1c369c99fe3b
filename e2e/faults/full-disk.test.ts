import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../product/eventually.ts';
import { expectWhole, metric } from './archive.ts';
import { turnLikeDirect } from './likeness.ts';
import {
  databaseFolder,
  type Product,
  removeHome,
  runProgram,
  scratchHome,
  startProduct,
} from './product.ts';
import { type Provider, startProvider } from './provider.ts';
import { Talk } from './talk.ts';

/** Megabytes of a disk that a new database nearly fills, and after somebody has made room. */
const SMALL_MB = 110;
const ROOMY_MB = 600;
/** How long the database may take to come back by itself once there is room: its longest pause between starts, and a start. */
const BACK_MS = 60_000;

/** Whether this user may mount a disk in memory here; that is how a full one is made. */
async function mayMount(): Promise<boolean> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const folder = await scratchHome();
  try {
    runProgram('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
    runProgram('umount', [folder]);
    return true;
  } catch {
    return false;
  } finally {
    await rmdir(folder);
  }
}

describe.skipIf(!(await mayMount()))(
  'a full disk (skipped where this user may not mount one in memory)',
  () => {
    let provider: Provider;
    let product: Product;
    let home: string;

    beforeAll(async () => {
      [provider, home] = await Promise.all([startProvider(), scratchHome()]);
      runProgram('mount', ['-t', 'tmpfs', '-o', `size=${SMALL_MB}m,mode=755`, 'tmpfs', home]);
      product = await startProduct({ home, provider: provider.url });
    });
    afterAll(async () => {
      await product?.end('SIGTERM');
      await provider?.stop();
      runProgram('umount', [home]);
      await removeHome(home);
    });

    test('no agent notices; once there is room again, everything sent meanwhile is archived once and in order', async () => {
      expect(await databaseFolder(home)).toBe(join(home, 'postgres'));
      const talk = new Talk('full disk', { padding: 900_000 });
      await turnLikeDirect(talk, product, provider);
      const free = () => Number(runProgram('df', ['--output=avail', '-B1', home]).split('\n')[1]);
      const waiting = () => metric(product.url, 'context_mode_record_queue_bytes');
      runProgram('fallocate', ['-l', String(Math.max(1, free() - 1024 * 1024)), join(home, 'filler')]);
      for (let turn = 0; turn < 4; turn += 1) await turnLikeDirect(talk, product, provider);
      expect(await waiting()).toBeGreaterThan(0);
      runProgram('mount', ['-o', `remount,size=${ROOMY_MB}m`, home]);
      await turnLikeDirect(talk, product, provider);
      await eventually(async () => expect(await waiting()).toBe(0), BACK_MS);
      await expectWhole(product.url, talk);
    });
  },
);
