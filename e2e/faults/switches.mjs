// Loaded into every thread of a product under test (`--import`): faults that nobody outside a process can make.
// The folder FAULT_SWITCHES is looked at again and again:
// `clock`: milliseconds that the host's clock is off; `break-recorder`: the recorder's thread throws once.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread, workerData } from 'node:worker_threads';

const LOOK_MS = 20;
const folder = process.env.FAULT_SWITCHES ?? '';
const isRecorder = !isMainThread && workerData?.connection !== undefined;
const hostNow = Date.now.bind(Date);
let offset = 0;

Date.now = () => hostNow() + offset;

/** The text of a switch; null: it is not set. */
function textOf(name) {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch {
    return null;
  }
}

setInterval(() => {
  offset = Number(textOf('clock') ?? 0);
  if (isRecorder && textOf('break-recorder') !== null) {
    rmSync(join(folder, 'break-recorder'));
    throw new Error('a fault that was made on purpose');
  }
}, LOOK_MS).unref();
