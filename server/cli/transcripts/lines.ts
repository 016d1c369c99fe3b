import { createReadStream } from 'node:fs';

/** Of a longer line only so many bytes at its beginning and at its end are held. */
const HEAD_BYTES = 256 * 1024;
const TAIL_BYTES = 4 * 1024;

/** A line of a file; `isWhole` is false where only its beginning and its end are given. */
export interface Line {
  readonly text: string;
  readonly isWhole: boolean;
}

/**
 * The lines of a file one by one, however long they are, in a few hundred kilobytes of memory.
 * @throws the system's error where the file cannot be read
 */
export async function* linesOf(file: string): AsyncGenerator<Line> {
  let head: Buffer[] = [];
  let size = 0;
  let tail = Buffer.alloc(0);
  const take = (bytes: Buffer) => {
    const free = Math.max(0, HEAD_BYTES - size);
    if (free > 0) head.push(Buffer.from(bytes.subarray(0, free)));
    if (bytes.length > free) tail = Buffer.concat([tail, bytes.subarray(free)]).subarray(-TAIL_BYTES);
    size += bytes.length;
  };
  const end = (): Line => {
    const line = { text: Buffer.concat([...head, tail]).toString('utf8'), isWhole: size <= HEAD_BYTES };
    head = [];
    size = 0;
    tail = Buffer.alloc(0);
    return line;
  };
  for await (const piece of createReadStream(file) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let feed = piece.indexOf(10); feed !== -1; feed = piece.indexOf(10, from)) {
      take(piece.subarray(from, feed));
      from = feed + 1;
      if (size > 0) yield end();
    }
    take(piece.subarray(from));
  }
  if (size > 0) yield end();
}
