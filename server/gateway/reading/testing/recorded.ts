import type { Uuid } from '../../../kernel/ids.ts';
import type { RequestHead } from '../../adapter.ts';
import { readCase } from '../../record/recorded.testing.ts';

/** One recorded request as an adapter sees it, and the answer that it was given. */
export interface Exchange {
  readonly head: RequestHead;
  readonly body: Buffer;
  readonly status: number;
  readonly contentType: string;
  readonly answer: Buffer;
}

/** The exchanges of a recorded case that have a body, in order. */
export function exchangesOf(name: string): readonly Exchange[] {
  return readCase(name, '00000000-0000-7000-8000-000000000001' as Uuid, 0)
    .filter(({ request }) => request.body.length > 0)
    .map(({ request, answer }) => ({
      head: headOf(request.door, request.method, request.target, Object.fromEntries(request.headers)),
      body: Buffer.from(request.body),
      status: answer.status ?? 0,
      contentType: answer.contentType,
      answer: Buffer.from(answer.body ?? []),
    }));
}

/** A request's head with these headers. */
export function headOf(
  door: RequestHead['door'],
  method: string,
  target: string,
  headers: Readonly<Record<string, string>> = {},
): RequestHead {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return { door, method, target, headers: new Map(entries) };
}

/** JSON of a value in UTF-8. */
export function jsonOf(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value), 'utf8');
}

/** An event stream of these objects, each under its `type`. */
export function streamOf(events: readonly { readonly type: string }[], lineEnd = '\n'): Buffer {
  const text = events.map(
    (event) => `event: ${event.type}${lineEnd}data: ${JSON.stringify(event)}${lineEnd}${lineEnd}`,
  );
  return Buffer.from(text.join(''), 'utf8');
}
