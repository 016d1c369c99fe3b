import type { LoggedRequest, Simulator } from '../../../../e2e/simulator/index.ts';
import { saysUnchanged } from '../stubs.ts';

type Json = Record<string, unknown>;

/** What agents write in the place of a result that they clear. */
const CLEARED = '[Old tool result content cleared]';

/** The results that a request holds, by the ids of their calls. */
export function resultsIn({ body }: Pick<LoggedRequest, 'body'>): ReadonlyMap<string, string> {
  const { messages = [], input = [] } = JSON.parse(body.toString()) as {
    readonly messages?: readonly Json[];
    readonly input?: readonly Json[];
  };
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? (content as Json[]) : []));
  const results = new Map<string, string>();
  for (const part of [...parts, ...input]) {
    if (part.type === 'tool_result') results.set(String(part.tool_use_id), textOf(part.content));
    if (part.type === 'function_call_output') results.set(String(part.call_id), textOf(part.output));
  }
  return results;
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}

/**
 * Results that were sent in more than one form. A stub of the agent's may give way to what it stands for, once; what an agent
 * clears is its own.
 */
export function resultsInTwoForms(simulator: Simulator): readonly string[] {
  const forms = new Map<string, string>();
  const twice: string[] = [];
  for (const entry of simulator.requests.entries) {
    for (const [id, text] of resultsIn(entry)) {
      const before = forms.get(id);
      const isTold = before === undefined || before === text || saysUnchanged(before);
      if (!isTold && text !== CLEARED && before !== CLEARED)
        twice.push(`${id}: ${before.slice(0, 120)} | ${text.slice(0, 120)}`);
      forms.set(id, text);
    }
  }
  return twice;
}

/** Files of which a request says that they have not changed, and whose content is not in it. */
export function unseenFiles(entry: LoggedRequest, contentOf: (path: string) => string): readonly string[] {
  const { messages = [] } = JSON.parse(entry.body.toString()) as { readonly messages?: readonly Json[] };
  const reads = messages
    .flatMap(({ content }) => (Array.isArray(content) ? (content as Json[]) : []))
    .filter(({ type, name }) => type === 'tool_use' && name === 'Read');
  const results = resultsIn(entry);
  const texts = new Set(results.values());
  return reads.flatMap(({ id, input }) => {
    const path = String((input as Json).file_path);
    const isStub = saysUnchanged(results.get(String(id)) ?? '');
    return isStub && !texts.has(contentOf(path)) ? [path] : [];
  });
}

/**
 * Ids of calls of an attempt that its agent threw away and that stand in a later request. The attempt's requests are those
 * from `from` on until the same body is sent once more.
 */
export function callsOfThrownAway(simulator: Simulator, from: number): readonly string[] {
  const { entries } = simulator.requests;
  const first = entries[from];
  const retry =
    first === undefined ? -1 : entries.findIndex((one, at) => at > from && one.body.equals(first.body));
  if (retry < 0) return [];
  const thrownAway = entries.slice(from, retry).map((entry) => entry.answer?.body.toString() ?? '');
  const ids = new Set(
    thrownAway.flatMap((answer) => answer.match(/\b(?:toolu|call)_[A-Za-z0-9]{12,}/g) ?? []),
  );
  const later = entries.slice(retry).map((entry) => entry.body.toString());
  return [...ids].filter((id) => later.some((body) => body.includes(id)));
}
