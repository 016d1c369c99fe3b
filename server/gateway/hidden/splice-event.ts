import { type JsonNode, readJson } from '../../conversation/index.ts';

/** A value of an event's data that gets other bytes: found in the parsed data, given as JSON text. */
export interface EventSplice {
  readonly node: JsonNode | undefined;
  readonly json: string;
}

/** An event's one line of data as parsed JSON, with the place in the event's bytes at which it begins. */
export interface EventData {
  readonly root: JsonNode;
  readonly at: number;
}

/** Reads the data of an event of one data line; null where it is none, or no JSON. */
export function eventData(event: Buffer): EventData | null {
  const line = /(?:^|[\r\n])data: ?/.exec(event.toString('latin1'));
  if (line === null) return null;
  const at = line.index + line[0].length;
  const ends = [event.indexOf('\n', at), event.indexOf('\r', at)].filter((end) => end >= 0);
  const root = readJson(event.subarray(at, Math.min(event.length, ...ends)));
  return root === null ? null : { root, at };
}

/** The event with some values of its data replaced, every other byte as it came. Values that are not there stay away. */
export function spliceEvent(event: Buffer, data: EventData, splices: readonly EventSplice[]): Buffer {
  const found = splices
    .flatMap(({ node, json }) => (node === undefined ? [] : [{ start: node.start, end: node.end, json }]))
    .sort((a, b) => a.start - b.start);
  if (found.length === 0) return event;
  const pieces: Buffer[] = [];
  let from = 0;
  for (const { start, end, json } of found) {
    pieces.push(event.subarray(from, data.at + start), Buffer.from(json, 'utf8'));
    from = data.at + end;
  }
  return Buffer.concat([...pieces, event.subarray(from)]);
}
