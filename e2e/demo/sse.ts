/** One event of an event stream, its data as JSON. */
export interface StreamEvent {
  readonly type: string;
  readonly [name: string]: unknown;
}

/** The events of a whole stream, in order. Lines that carry no data are passed over. */
export function readEvents(text: string): StreamEvent[] {
  return text
    .split(/\r?\n\r?\n/)
    .flatMap((block) => block.split(/\r?\n/).filter((line) => line.startsWith('data:')))
    .map((line) => JSON.parse(line.slice(5)) as StreamEvent);
}
