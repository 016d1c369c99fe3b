import { findAddress, mustAnswer, readDocument } from '../gateway/client.ts';
import type { Output } from '../output.ts';
import type { World } from '../world.ts';

/** Characters that are printed where no length is asked for. */
const LENGTH = 200_000;

/**
 * Prints a document: of a tool call its input, then the text. Where there is more it says how to read on.
 * @returns 0. @throws CliFailure `noGateway`, or `refused` where the id names no one document
 */
export async function read(
  world: World,
  output: Output,
  options: {
    readonly docid: string;
    readonly offset: number | undefined;
    readonly length: number | undefined;
    readonly gateway: string | undefined;
  },
): Promise<0> {
  const gateway = await mustAnswer(world, await findAddress(world, options.gateway));
  const { docid, offset = 0, length = LENGTH } = options;
  const found = await readDocument(world, gateway.url, docid, { offset, length });
  if (found.input !== null && offset === 0) output.line(found.input);
  output.line(found.text);
  const end = offset + [...found.text].length;
  if (end < found.length)
    output.line(
      `(${end} of ${found.length} characters. Read on: context-mode read ${docid} --offset ${end})`,
    );
  output.result({ ok: true, exitCode: 0, ...(typeof found.answer === 'object' ? found.answer : {}) });
  return 0;
}
