import type { Fault } from '../faults.ts';
import type { JsonObject } from '../json.ts';
import { type Answer, eventFrame } from '../wire/answer.ts';
import type { World } from '../world.ts';
import { openAiModelOf } from './check.ts';
import { CONTEXT_LENGTH_ERROR, CONTEXT_LENGTH_MESSAGE, openAiStatusFault } from './errors.ts';
import { responseObject } from './response.ts';
import { type ResponsesCall, refuse } from './serving.ts';

const SERVER_ERROR = 'The server had an error while processing your request.';

/** The answer of a fault that speaks the protocol; `undefined` for faults of the wire. */
export function responsesFault(
  fault: Fault,
  call: ResponsesCall,
  whole: Answer,
  world: World,
): Answer | undefined {
  switch (fault.kind) {
    case 'status':
      return openAiStatusFault(fault, call.ids);
    case 'too-long':
      if (fault.inStream !== true || !whole.stream) return refuse(call, world, CONTEXT_LENGTH_ERROR).answer;
      return failing(call, whole, 2, { code: 'context_length_exceeded', message: CONTEXT_LENGTH_MESSAGE });
    case 'failed':
      return failing(call, whole, fault.afterEvents ?? 2, {
        code: fault.code,
        message: fault.message ?? SERVER_ERROR,
      });
    case 'stream-error': {
      if (!whole.stream) return undefined;
      const kept = whole.frames.slice(0, fault.afterEvents ?? 3);
      const data = {
        type: 'error',
        code: fault.type ?? 'server_error',
        message: fault.message ?? SERVER_ERROR,
        param: null,
        sequence_number: kept.length,
      };
      return { ...whole, frames: [...kept, eventFrame('error', data)] };
    }
    default:
      return undefined;
  }
}

/** A stream that ends with `response.failed` after so many of its events. */
function failing(
  call: ResponsesCall,
  whole: Answer,
  afterEvents: number,
  error: JsonObject,
): Answer | undefined {
  if (!whole.stream) return undefined;
  const kept = whole.frames.slice(0, afterEvents);
  const response = responseObject(
    {
      id: call.ids('resp_', 48),
      model: openAiModelOf(call.body).id,
      createdAtMs: call.entry.receivedAtMs,
      request: call.request,
      extra: {},
    },
    'failed',
    [],
    null,
    error,
  );
  const data = { type: 'response.failed', sequence_number: kept.length, response };
  return { ...whole, frames: [...kept, eventFrame('response.failed', data)] };
}
