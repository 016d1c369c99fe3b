/**
 * What Claude Code (2.1) answers to a second read of the same file and range that has not changed meanwhile, instead of the
 * content: it takes the earlier result for being in view.
 */
const STUBS = [
  'Wasted call — file unchanged since your last Read.',
  'File unchanged since last read. The content from the earlier Read tool_result in this conversation',
];

/** A part of each stub that stands in JSON as it is. */
const SIGNS = STUBS.map((stub) => stub.slice(stub.indexOf('ile unchanged')).split('.')[0] ?? stub);

/** Whether an element may hold such an answer. */
export function maySayUnchanged(element: Buffer): boolean {
  return SIGNS.some((sign) => element.includes(sign));
}

/** What is sent instead where the earlier result is not in the conversation any more. */
export const NOT_IN_VIEW =
  '[The content that an earlier Read of this file and range gave is not in view. Read the file again with another range (offset and limit) to see it.]';

/** Whether a result says that a file has not changed since it was read. */
export function saysUnchanged(text: string): boolean {
  return STUBS.some((stub) => text.startsWith(stub));
}
