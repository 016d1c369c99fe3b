import { fieldNamed, scanBody, viewOf } from '../../../conversation/index.ts';
import type { Edit, EditedBody, Verdict } from '../index.ts';
import { outlinesIn, validateAnthropic, validateOpenai } from '../index.ts';

/** The name of our tool in these tests. */
export const OWN_TOOL = 'context-mode-search';

/** What a judgement depends on beside the bodies. */
export type Settings = Partial<Omit<EditedBody, 'client' | 'edited' | 'edits'>>;

const bytesOf = (body: unknown): Uint8Array =>
  body instanceof Uint8Array ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));

function bodyOf(
  list: 'messages' | 'input',
  client: unknown,
  edited: unknown,
  edits: readonly Edit[],
  settings: Settings,
): EditedBody {
  const bytes = bytesOf(client);
  const known = knownOf(list, bytes);
  return {
    client: bytes,
    ...(known === null ? {} : { known }),
    edited: bytesOf(edited),
    edits,
    ownTool: OWN_TOOL,
    latestThinking: 'untouched',
    window: null,
    estimate: () => 0,
    ...settings,
  };
}

/** What is known of a client's body when it comes to the validator; null where it cannot be scanned. */
export function knownOf(
  list: 'messages' | 'input',
  client: Uint8Array,
): NonNullable<EditedBody['known']> | null {
  const scan = scanBody(client, new Set([list, 'tools']));
  if (scan === null) return null;
  return { scan, outlines: outlinesIn(viewOf(client), fieldNamed(scan, list)?.elements ?? []) };
}

/** Judges bodies of the Messages API, given as values, texts or bytes. */
export function judgeMessages(
  client: unknown,
  edited: unknown = client,
  edits: readonly Edit[] = [],
  settings: Settings = {},
): Verdict {
  return validateAnthropic(bodyOf('messages', client, edited, edits, settings));
}

/** Judges bodies of the Responses API, given as values, texts or bytes. */
export function judgeResponses(
  client: unknown,
  edited: unknown = client,
  edits: readonly Edit[] = [],
  settings: Settings = {},
): Verdict {
  return validateOpenai(bodyOf('input', client, edited, edits, settings));
}

/** The rule that a verdict names, and where; `ok` where it names none. */
export function ruleOf(verdict: Verdict): string {
  return verdict.ok ? 'ok' : `${verdict.rule} ${verdict.where}`;
}
