/**
 * A piece of an answer's body. `event` marks a stream event, for faults that count events. `waitMs` is simulator
 * time and `gate` a gate's name, both kept before the bytes are written.
 */
export type Frame = {
  readonly bytes: Buffer;
  readonly event?: boolean;
  readonly waitMs?: number;
  readonly gate?: string;
};

/** A whole answer, made before its first byte is sent. */
export type Answer = {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly frames: readonly Frame[];
  /** True for an event stream; such an answer has no content length. */
  readonly stream: boolean;
  /** Called when the first byte of the answer goes out. */
  readonly onFirstByte?: () => void;
};

/** An answer with a JSON body. */
export function jsonAnswer(
  status: number,
  body: unknown,
  headers: readonly (readonly [string, string])[] = [],
): Answer {
  return {
    status,
    headers: [['content-type', 'application/json'], ...headers],
    frames: [{ bytes: Buffer.from(JSON.stringify(body)) }],
    stream: false,
  };
}

/** A server-sent event with its name and JSON data. */
export function eventFrame(
  name: string,
  data: unknown,
  pause: { waitMs?: number; gate?: string } = {},
): Frame {
  return { bytes: Buffer.from(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`), event: true, ...pause };
}
