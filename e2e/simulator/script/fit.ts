import { type TokenRule, tokensOfLength } from '../tokens.ts';
import { inputText, type Part, type Plan } from './types.ts';

/** What bounds an answer's length. */
export type OutputBounds = {
  readonly maxTokens: number;
  /** Tokens left in the model's window. */
  readonly roomTokens: number;
  readonly stopSequences: readonly string[];
  readonly rule: TokenRule;
};

/** A plan cut to its bounds, with its stop reason and its output tokens. */
export type FittedPlan = {
  readonly plan: Plan;
  readonly stopReason: string;
  readonly stopSequence: string | null;
  readonly outputTokens: number;
  readonly thinkingTokens: number;
};

/** Cuts a plan at a stop sequence, at `max_tokens` or at the window's end, whichever comes first. */
export function fitOutput(plan: Plan, bounds: OutputBounds): FittedPlan {
  const limit = Math.min(bounds.maxTokens, bounds.roomTokens);
  const parts: Part[] = [];
  let output = 0;
  let thinking = 0;
  let stop: { reason: string; sequence: string | null } | undefined;
  for (const part of plan.parts) {
    const sequence =
      part.kind === 'text' ? firstSequence(part.chunks.join(''), bounds.stopSequences) : undefined;
    const kept = sequence === undefined ? part : { kind: 'text' as const, chunks: [sequence.before] };
    const tokens = tokensOfPart(kept, bounds.rule);
    if (output + tokens > limit) {
      const room = Math.max(0, limit - output);
      if (kept.kind === 'text' && room > 0) parts.push(cutText(kept.chunks, room, bounds.rule));
      output = limit;
      const reason = bounds.roomTokens < bounds.maxTokens ? 'model_context_window_exceeded' : 'max_tokens';
      stop = { reason, sequence: null };
      break;
    }
    parts.push(kept);
    output += tokens;
    if (kept.kind === 'thinking') thinking += tokens;
    if (sequence !== undefined) {
      stop = { reason: 'stop_sequence', sequence: sequence.sequence };
      break;
    }
  }
  const natural = parts.some((part) => part.kind === 'call') ? 'tool_use' : 'end_turn';
  return {
    plan: { ...plan, parts },
    stopReason: stop?.reason ?? plan.stop ?? natural,
    stopSequence: stop?.sequence ?? null,
    outputTokens: Math.max(output, Math.min(1, limit)),
    thinkingTokens: thinking,
  };
}

/** Output tokens of a part by the token rule. */
export function tokensOfPart(part: Part, rule: TokenRule): number {
  switch (part.kind) {
    case 'text':
      return tokensOfLength(part.chunks.join('').length, rule);
    case 'thinking':
      return tokensOfLength(part.text.length, rule);
    case 'call':
      return tokensOfLength(part.name.length + inputText(part.input).length, rule);
    case 'block':
      return tokensOfLength(JSON.stringify(part.block).length, rule);
    default:
      return 0;
  }
}

function cutText(chunks: readonly string[], tokens: number, rule: TokenRule): Part {
  let left = Math.floor(tokens * rule.charactersPerToken);
  const kept: string[] = [];
  for (const chunk of chunks) {
    if (left <= 0) break;
    // A cut never falls inside a surrogate pair.
    const end = chunk.length > left && /[\uD800-\uDBFF]/.test(chunk.charAt(left - 1)) ? left - 1 : left;
    kept.push(chunk.slice(0, end));
    left -= chunk.length;
  }
  return { kind: 'text', chunks: kept };
}

function firstSequence(
  text: string,
  sequences: readonly string[],
): { before: string; sequence: string } | undefined {
  let best: { at: number; sequence: string } | undefined;
  for (const sequence of sequences) {
    const at = sequence === '' ? -1 : text.indexOf(sequence);
    if (at >= 0 && (best === undefined || at < best.at)) best = { at, sequence };
  }
  return best === undefined ? undefined : { before: text.slice(0, best.at), sequence: best.sequence };
}
