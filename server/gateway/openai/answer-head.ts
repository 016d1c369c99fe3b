import type { AnswerHead } from '../hidden/types.ts';
import { recordOf, textOf } from '../reading/events.ts';
import { billedResponse } from './billed.ts';
import { usageOf } from './usage.ts';

/** Members of a response that tell of it beside its output. */
export const HEAD_MEMBERS = ['id', 'model', 'status', 'incomplete_details', 'service_tier', 'usage'] as const;

/** What a response says of itself beside its output. */
export function answerHead(response: Readonly<Record<string, unknown>> | null): AnswerHead {
  return {
    providerId: textOf(response?.id),
    model: textOf(response?.model),
    stopReason: textOf(recordOf(response?.incomplete_details)?.reason) ?? textOf(response?.status),
    usage: usageOf(response?.usage),
    billed: billedResponse(response),
  };
}
