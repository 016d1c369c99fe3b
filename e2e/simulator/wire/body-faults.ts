import type { Fault, Place } from '../faults.ts';
import type { Answer, Frame } from './answer.ts';
import { encodePieces } from './coding.ts';

/** What happens once the frames are out. */
export type After = 'end' | 'reset' | 'close' | 'half-close' | 'hold';

/** The answer as a fault changes it, and what follows its last byte. */
export async function withBodyFault(
  answer: Answer,
  fault: Fault | undefined,
): Promise<{ answer: Answer; after: After }> {
  switch (fault?.kind) {
    case 'reset':
      return { answer: cutAt(answer, fault), after: 'reset' };
    case 'end':
      return { answer: cutAt(answer, halfWay(fault)), after: fault.broken === true ? 'close' : 'end' };
    case 'half-open':
      return { answer: cutAt(answer, halfWay(fault)), after: 'half-close' };
    case 'silence':
      return {
        answer: fault.from === 'headers' ? { ...answer, frames: [] } : cutAt(answer, halfWay(fault)),
        after: 'hold',
      };
    case 'trickle':
      return {
        answer: { ...answer, frames: trickle(whole(answer), fault.bytes, fault.everyMs) },
        after: 'end',
      };
    case 'flood':
      return { answer: { ...answer, frames: flood(answer, fault.bytes) }, after: 'end' };
    case 'garbage':
      return { answer: garbage(fault), after: 'end' };
    case 'redirect':
      return {
        answer: {
          ...answer,
          status: fault.status,
          headers: [['location', fault.location]],
          frames: [],
          stream: false,
        },
        after: 'end',
      };
    case 'encoded':
      return { answer: await encoded(answer, fault), after: 'end' };
    default:
      return { answer, after: 'end' };
  }
}

/** The answer's headers with what every answer has; `connection` and transfer coding are Node's. */
export function frameworkHeaders(answer: Answer, nowMs: number): (readonly [string, string])[] {
  const headers: (readonly [string, string])[] = [['date', new Date(nowMs).toUTCString()], ...answer.headers];
  if (answer.stream || answer.status === 204 || answer.status === 304) return headers;
  const length = answer.frames.reduce((sum, frame) => sum + frame.bytes.length, 0);
  return [...headers, ['content-length', String(length)]];
}

function halfWay(place: Place): Place {
  return place.afterBytes === undefined && place.afterEvents === undefined ? { afterEvents: 3 } : place;
}

/** A cut JSON answer keeps the length of the whole, so that the client can see the cut. */
function cutAt(answer: Answer, place: Place): Answer {
  const bytes = place.afterBytes ?? bytesOfEvents(answer.frames, place.afterEvents ?? 0);
  const length: [string, string][] = answer.stream ? [] : [['content-length', String(whole(answer).length)]];
  return {
    ...answer,
    headers: [...answer.headers, ...length],
    frames: firstBytes(answer.frames, bytes),
    stream: true,
  };
}

function bytesOfEvents(frames: readonly Frame[], events: number): number {
  let bytes = 0;
  let seen = 0;
  for (const frame of frames) {
    if (seen >= events) return bytes;
    bytes += frame.event === true ? frame.bytes.length : Math.floor(frame.bytes.length / 2);
    seen += 1;
  }
  return bytes;
}

function firstBytes(frames: readonly Frame[], bytes: number): Frame[] {
  const kept: Frame[] = [];
  let left = bytes;
  for (const frame of frames) {
    if (left <= 0) break;
    kept.push({ ...frame, bytes: frame.bytes.subarray(0, left) });
    left -= frame.bytes.length;
  }
  return kept;
}

function whole(answer: Answer): Buffer {
  return Buffer.concat(answer.frames.map((frame) => frame.bytes));
}

function trickle(bytes: Buffer, size: number, everyMs: number): Frame[] {
  const frames: Frame[] = [];
  for (let start = 0; start < bytes.length; start += Math.max(1, size)) {
    frames.push({
      bytes: bytes.subarray(start, start + Math.max(1, size)),
      waitMs: start === 0 ? 0 : everyMs,
    });
  }
  return frames;
}

const FLOOD_PIECE_BYTES = 65_536;

function flood(answer: Answer, bytes: number): Frame[] {
  const piece = Buffer.alloc(FLOOD_PIECE_BYTES, 32);
  if (answer.stream) {
    piece.write(': ', 0);
    piece.write('\n\n', FLOOD_PIECE_BYTES - 2);
  }
  const pieces = Array.from({ length: Math.ceil(bytes / FLOOD_PIECE_BYTES) }, () => ({ bytes: piece }));
  return answer.stream
    ? [...answer.frames.slice(0, 1), ...pieces, ...answer.frames.slice(1)]
    : [...pieces, ...answer.frames];
}

function garbage(fault: Extract<Fault, { kind: 'garbage' }>): Answer {
  const bytes =
    fault.base64 !== undefined
      ? Buffer.from(fault.base64, 'base64')
      : Buffer.from(fault.body ?? '\u0000<<%>>');
  return {
    status: 200,
    headers: [['content-type', fault.contentType ?? 'text/event-stream; charset=utf-8']],
    frames: [{ bytes }],
    stream: false,
  };
}

async function encoded(answer: Answer, fault: Extract<Fault, { kind: 'encoded' }>): Promise<Answer> {
  const coded = await encodePieces(
    answer.frames.map((frame) => frame.bytes),
    fault.coding,
  );
  const frames = answer.frames.map((frame, index) => ({ ...frame, bytes: coded[index] ?? Buffer.alloc(0) }));
  return {
    ...answer,
    headers: [...answer.headers, ['content-encoding', fault.wrong ?? fault.coding]],
    frames,
  };
}
