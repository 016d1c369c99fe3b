import { fieldNamed, type Scan, type Slice, scanBody } from '../../../conversation/index.ts';
import { RETRIEVAL_TOOL } from '../../../recall/index.ts';
import { composeMessages } from '../../anthropic/compose.ts';
import { composeItems } from '../../openai/compose.ts';
import {
  type EditedBody,
  type LatestThinking,
  outlinesIn,
  type Verdict,
  validateAnthropic,
  validateOpenai,
} from '../../validator/index.ts';
import type { BodyPlan, ComposedBody } from '../plan.ts';

/** A plan that changes nothing. */
export const NO_PLAN: BodyPlan = {
  tool: null,
  layout: null,
  hidden: [],
  results: [],
  leavesReasoning: () => false,
};

/** A client's body as the composer gets it. */
export interface ClientRequest {
  readonly body: Buffer;
  readonly scan: Scan;
  readonly elements: readonly Slice[];
}

/** Reads a body, given as a value. @param space what JSON.stringify takes */
export function clientRequest(list: 'messages' | 'input', value: unknown, space?: number): ClientRequest {
  const body = Buffer.from(JSON.stringify(value, null, space));
  const scan = scanBody(body, new Set([list, 'tools'])) ?? { fields: [], fault: null };
  return { body, scan, elements: fieldNamed(scan, list)?.elements ?? [] };
}

/** What was composed, in one buffer. */
export type JoinedBody = Omit<ComposedBody, 'body'> & { readonly body: Buffer };

/** A composed body, read again, with what the validator says of it. */
export interface Judged<Body> {
  readonly composed: JoinedBody;
  readonly body: Body;
  readonly verdict: Verdict;
  /** The verdict on other bytes in the place of the composed ones. Throws where it is another with what is known. */
  readonly judge: (edited: Buffer) => Verdict;
}

/** Composes a body of the Messages API and judges it. Throws where it cannot be composed. */
export function messagesComposed<Body>(
  value: unknown,
  plan: Partial<BodyPlan>,
  latestThinking: LatestThinking = 'untouched-or-none',
  space?: number,
): Judged<Body> {
  const client = clientRequest('messages', value, space);
  const composed = composeMessages(client.body, client.scan, client.elements, { ...NO_PLAN, ...plan });
  return judged(client, composed, validateAnthropic, latestThinking);
}

/** Composes a body of the Responses API and judges it. Throws where it cannot be composed. */
export function itemsComposed<Body>(
  value: unknown,
  plan: Partial<BodyPlan>,
  latestThinking: LatestThinking = 'untouched',
  space?: number,
): Judged<Body> {
  const client = clientRequest('input', value, space);
  const composed = composeItems(client.body, client.scan, client.elements, { ...NO_PLAN, ...plan });
  return judged(client, composed, validateOpenai, latestThinking);
}

function judged<Body>(
  client: ClientRequest,
  pieced: ComposedBody | { readonly unknown: string },
  validate: typeof validateAnthropic,
  latestThinking: LatestThinking,
): Judged<Body> {
  if ('unknown' in pieced) throw new Error(`Not composed: ${pieced.unknown}`);
  const composed: JoinedBody = { ...pieced, body: pieced.body.joined() };
  const known = { scan: client.scan, outlines: outlinesIn(client.body, client.elements) };
  const judge = (edited: Buffer): Verdict => {
    const question: EditedBody = {
      client: client.body,
      edited,
      edits: composed.named,
      ownTool: RETRIEVAL_TOOL,
      latestThinking,
      window: null,
      estimate: () => 0,
    };
    const plain = validate(question);
    const lean = validate({ ...question, known });
    if (JSON.stringify(plain) !== JSON.stringify(lean))
      throw new Error(`Two verdicts: ${JSON.stringify([plain, lean])}`);
    return plain;
  };
  return {
    composed,
    body: JSON.parse(composed.body.toString()) as Body,
    verdict: judge(composed.body),
    judge,
  };
}
