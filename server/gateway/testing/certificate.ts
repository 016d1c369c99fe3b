import { generateKeyPairSync, sign } from 'node:crypto';

/** A self-signed certificate with its key, both PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** One DER element: tag, length, content (X.690, 8.1). */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const length =
    content.length < 0x80
      ? Buffer.of(content.length)
      : content.length < 0x100
        ? Buffer.of(0x81, content.length)
        : Buffer.of(0x82, content.length >> 8, content.length & 0xff);
  return Buffer.concat([Buffer.of(tag), length, content]);
}

const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts);
const identifier = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const time = (text: string) => der(0x18, Buffer.from(text));

/** ecdsa-with-SHA256 (1.2.840.10045.4.3.2). */
const ALGORITHM = sequence(identifier('2a8648ce3d040302'));

/** Makes a certificate for `localhost` and `127.0.0.1` that signs itself, so that it can be its own authority. */
export function selfSigned(): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(der(0x31, sequence(identifier('550403'), der(0x0c, Buffer.from('localhost')))));
  const names = sequence(der(0x82, Buffer.from('localhost')), der(0x87, Buffer.of(127, 0, 0, 1)));
  const authority = sequence(der(0x01, Buffer.of(0xff)));
  const extensions = sequence(
    sequence(identifier('551d11'), der(0x04, names)),
    sequence(identifier('551d13'), der(0x01, Buffer.of(0xff)), der(0x04, authority)),
  );
  const body = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1)),
    ALGORITHM,
    name,
    sequence(time('20200101000000Z'), time('21200101000000Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = sign('sha256', body, privateKey);
  const whole = sequence(body, ALGORITHM, der(0x03, Buffer.of(0), signature));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  };
}
