import type { AnswerHead } from '../hidden/types.ts';
import { recordOf, textOf } from '../reading/events.ts';
import { billedUsage } from './billed.ts';
import { usageOf } from './usage.ts';

/** Members of a message that tell of it beside its content. */
export const HEAD_MEMBERS = ['id', 'model', 'stop_reason', 'usage'] as const;

/** What a message says of itself beside its content. */
export function answerHead(message: Readonly<Record<string, unknown>>): AnswerHead {
  return {
    providerId: textOf(message.id),
    model: textOf(message.model),
    stopReason: textOf(message.stop_reason),
    usage: usageOf(recordOf(message.usage)),
    billed: billedUsage(recordOf(message.usage)),
  };
}
