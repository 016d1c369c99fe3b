import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createOwnerCheck, systemTables, userOf } from './owner.ts';
import { portOf } from './testing/raw.ts';

const HEAD =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
const row = (local: string, remote: string, state: string, user: number) =>
  `  17: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000  ${user}        0 35715 2 00000000eef0ecc0 20 0 0 10 -1\n`;

// The gateway listens on port 0x102D (4141), the client's own port is 0xCE72 (52850).
const ends = { remoteAddress: '127.0.0.1', remotePort: 0xce72, localPort: 0x102d };

describe('userOf', () => {
  test('is the user of the client’s row, not of ours', () => {
    const table =
      HEAD +
      row('0100007F:102D', '0100007F:CE72', '01', 7) +
      row('0100007F:CE72', '0100007F:102D', '01', 1000);
    expect(userOf(table, ends)).toBe(1000);
  });

  test('is found for IPv6 and for IPv4 inside IPv6, on either side', () => {
    const six = row(
      '00000000000000000000000001000000:CE72',
      '00000000000000000000000001000000:102D',
      '01',
      5,
    );
    expect(userOf(six, { ...ends, remoteAddress: '::1' })).toBe(5);
    const mapped = row(
      '0000000000000000FFFF00000100007F:CE72',
      '0000000000000000FFFF00000100007F:102D',
      '01',
      6,
    );
    expect(userOf(mapped, ends)).toBe(6);
    const plain = row('0100007F:CE72', '0100007F:102D', '01', 8);
    expect(userOf(plain, { ...ends, remoteAddress: '::ffff:127.0.0.1' })).toBe(8);
  });

  test('is nobody for rows of other ports or addresses, of dead connections, or of nonsense', () => {
    expect(userOf(row('0100007F:CE73', '0100007F:102D', '01', 1), ends)).toBeNull();
    expect(userOf(row('0100007F:CE72', '0100007F:102E', '01', 1), ends)).toBeNull();
    expect(userOf(row('0200007F:CE72', '0100007F:102D', '01', 1), ends)).toBeNull();
    expect(userOf(row('0100007F:CE72', '0100007F:102D', '06', 0), ends)).toBeNull();
    expect(userOf('CE72\n:::CE72 102D\n', ends)).toBeNull();
    expect(userOf('', { ...ends, remoteAddress: '10.0.0.300' })).toBeNull();
  });
});

/** A socket as the accepting side has it. */
const accepted = (remotePort: number) =>
  ({ remoteAddress: '127.0.0.1', remotePort, localPort: 0x102d }) as Socket;

describe('createOwnerCheck', () => {
  const table =
    row('0100007F:0001', '0100007F:102D', '01', 1000) + row('0100007F:0002', '0100007F:102D', '01', 0);

  test('tells our own user from every other, root included', async () => {
    const check = createOwnerCheck(1000, async () => table);
    expect(await check.ownerOf(accepted(1))).toBe('self');
    expect(await check.ownerOf(accepted(2))).toBe('other');
    expect(await check.ownerOf(accepted(3))).toBe('unknown');
  });

  test('cannot tell without tables, without a user, or where reading fails', async () => {
    expect(await createOwnerCheck(1000, async () => null).ownerOf(accepted(1))).toBe('unknown');
    expect(await createOwnerCheck(null, async () => table).ownerOf(accepted(1))).toBe('unknown');
    const failing = createOwnerCheck(1000, () => Promise.reject(new Error('no')));
    expect(await failing.ownerOf(accepted(1))).toBe('unknown');
  });

  test('looks once per connection, and connections that come together share a look', async () => {
    let reads = 0;
    const check = createOwnerCheck(1000, async () => {
      reads += 1;
      return table;
    });
    const first = accepted(1);
    const owners = await Promise.all(
      [first, accepted(1), accepted(1), accepted(2)].map((it) => check.ownerOf(it)),
    );
    expect(owners).toEqual(['self', 'self', 'self', 'other']);
    expect(reads).toBe(2);
    expect(check.ownerOf(first)).toBe('self');
    expect(reads).toBe(2);
  });

  test('a row that was missed is looked up once more', async () => {
    const tables = ['', table];
    const check = createOwnerCheck(1000, async () => tables.shift() ?? '');
    expect(await check.ownerOf(accepted(1))).toBe('self');
  });

  test('a connection whose owner could not be told is looked at again at its next request', async () => {
    const tables = ['', '', table];
    const check = createOwnerCheck(1000, async () => tables.shift() ?? '');
    const connection = accepted(1);
    expect(await check.ownerOf(connection)).toBe('unknown');
    expect(await check.ownerOf(connection)).toBe('self');
  });

  test.skipIf(process.platform !== 'linux')('finds this very process on a real connection', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect(portOf(server), '127.0.0.1');
    const [socket] = await once(server, 'connection');
    const check = (user: number) => createOwnerCheck(user, systemTables).ownerOf(socket as Socket);
    const user = process.getuid?.() ?? -1;
    expect(await check(user)).toBe('self');
    expect(await check(user + 1)).toBe('other');
    client.destroy();
    server.close();
  });
});
