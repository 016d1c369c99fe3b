import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';

/** Whose program is at the other end of a loopback connection; `unknown` where the system does not tell. */
export type Owner = 'self' | 'other' | 'unknown';

/** The two ends of a connection as the accepting side sees them. */
export interface Ends {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly localPort: number;
}

/** TIME_WAIT, the state of a row that belongs to no process any more (its user reads 0). */
const TIME_WAIT = '06';

/**
 * Finds the user of the program that opened a connection in the text of Linux's `/proc/net/tcp` and `tcp6`
 * (columns: slot, local address, remote address, state, …, user). The program's own row has our remote port as its
 * local one.
 * @returns the numeric user, or null without such a row.
 */
export function userOf(table: string, ends: Ends): number | null {
  const addresses = hexForms(ends.remoteAddress);
  const [from, to] = [hexPort(ends.remotePort), hexPort(ends.localPort)];
  for (const line of table.split('\n')) {
    if (!line.includes(from)) continue;
    const [, local = '', remote = '', state, , , , user] = line.trim().split(/\s+/);
    if (state === TIME_WAIT || user === undefined || !remote.endsWith(`:${to}`)) continue;
    if (addresses.some((address) => local === `${address}:${from}`)) return Number(user);
  }
  return null;
}

function hexPort(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0');
}

/** The forms in which an address can stand in the tables; IPv4 also as mapped into IPv6. */
function hexForms(address: string): readonly string[] {
  const four = /^(?:::ffff:)?(\d+)\.(\d+)\.(\d+)\.(\d+)$/i.exec(address);
  if (four !== null) {
    const reversed = four.slice(1).reverse();
    const hex = reversed.map((part) => Number(part).toString(16).padStart(2, '0').toUpperCase()).join('');
    return [hex, `0000000000000000FFFF0000${hex}`];
  }
  return address === '::1' ? ['00000000000000000000000001000000'] : [];
}

/** Tells who is at the other end of connections, reading the tables at most once for those that wait together. */
export interface OwnerCheck {
  /** The owner, at once where it is known; looked up once per connection. Never rejects. */
  ownerOf(socket: Socket): Owner | Promise<Owner>;
}

/** Reads both tables as one text; null where the system has none. */
export type ReadTables = () => Promise<string | null>;

/** The running system's tables: Linux has them, others do not. */
export const systemTables: ReadTables = async () => {
  if (process.platform !== 'linux') return null;
  const read = (name: string) => readFile(`/proc/net/${name}`, 'latin1').catch(() => '');
  const both = (await Promise.all([read('tcp'), read('tcp6')])).join('\n');
  return both.trim() === '' ? null : both;
};

/** A system that tells nobody's connections. */
export const noTables: ReadTables = async () => null;

/** Whether owners can be told at all by these tables, for a process of this numeric user. */
export async function tellsOwners(self: number | null, readTables: ReadTables): Promise<boolean> {
  return self !== null && (await readTables().catch(() => null)) !== null;
}

/** @param self the numeric user that this process runs as; null where the system has none */
export function createOwnerCheck(self: number | null, readTables: ReadTables): OwnerCheck {
  const known = new WeakMap<Socket, Owner | Promise<Owner>>();
  const shared = sharedReads(readTables);
  return {
    ownerOf(socket) {
      const before = known.get(socket);
      if (before !== undefined) return before;
      const asked = lookUp(self, shared, socket).then((owner) => {
        // What could not be told once may be told at the connection's next request.
        if (owner === 'unknown') known.delete(socket);
        else known.set(socket, owner);
        return owner;
      });
      known.set(socket, asked);
      return asked;
    },
  };
}

async function lookUp(self: number | null, read: ReadTables, socket: Socket): Promise<Owner> {
  const { remoteAddress, remotePort, localPort } = socket;
  if (self === null || remoteAddress === undefined || remotePort === undefined || localPort === undefined) {
    return 'unknown';
  }
  // A row can be missed while the table changes under the reader, so a miss is looked up once more.
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const table = await read().catch(() => null);
    if (table === null) return 'unknown';
    const user = userOf(table, { remoteAddress, remotePort, localPort });
    if (user !== null) return user === self ? 'self' : 'other';
  }
  return 'unknown';
}

/** Lets all that ask while a read runs share the next one: a read that began earlier may not know their rows. */
function sharedReads(read: ReadTables): ReadTables {
  let running: Promise<string | null> | null = null;
  let next: Promise<string | null> | null = null;
  const begin = (): Promise<string | null> => {
    const reading = read().finally(() => {
      if (running === reading) running = null;
    });
    running = reading;
    return reading;
  };
  return () => {
    if (running === null) return begin();
    next ??= running
      .catch(() => null)
      .then(() => {
        next = null;
        return begin();
      });
    return next;
  };
}
