/** The header of an event stream. */
export const SSE = 'content-type: text/event-stream; charset=utf-8\r\n';
/** The head of an event stream in chunks. */
export const STREAM_HEAD = `HTTP/1.1 200 OK\r\n${SSE}transfer-encoding: chunked\r\n\r\n`;

/** One chunk on the wire. */
export function chunk(bytes: Uint8Array | string): Buffer {
  const data = Buffer.from(bytes as string);
  return Buffer.concat([Buffer.from(`${data.length.toString(16)}\r\n`), data, Buffer.from('\r\n')]);
}

/** The chunk that ends an answer. */
export const LAST_CHUNK = '0\r\n\r\n';
