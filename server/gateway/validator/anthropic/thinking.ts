import type { LatestThinking } from '../request.ts';
import { type Finding, finding } from '../verdict.ts';
import { type Message, opensTurn } from './read.ts';

/**
 * What became of the client's thinking, in its order. Providers take a conversation whose thinking was left out from
 * the beginning, from the end, or all of it; out of the middle it breaks what the later thinking is bound to.
 */
export class ThinkingTrail {
  private readonly runs: ('kept' | 'left-out')[] = [];
  private latest = -1;
  private turn = 0;
  private readonly without = new Set<number>();

  /** A message that is kept, whole or in parts, and its position among the client's. */
  saw(message: Message, index: number): void {
    if (message.role === 'assistant') this.latest = index;
    if (opensTurn(message)) this.turn = index;
  }

  /** Thinking that is kept. */
  kept(): void {
    if (this.runs.at(-1) !== 'kept') this.runs.push('kept');
  }

  /** Thinking that is left out, and the position of its message among the client's. */
  leftOut(index: number): void {
    this.latest = index;
    this.without.add(index);
    if (this.runs.at(-1) !== 'left-out') this.runs.push('left-out');
  }

  /** Judges what was seen. */
  check(form: LatestThinking): Finding | null {
    if (this.runs.length > 2)
      return finding('thinking', '/messages', 'Thinking was left out of the middle of the conversation.');
    const touched = [...this.without].find((index) =>
      form === 'turn-untouched' ? index > this.turn : form === 'untouched' && index === this.latest,
    );
    if (touched === undefined) return null;
    return finding(
      'thinking',
      `client:/messages/${touched}`,
      form === 'untouched'
        ? 'The thinking of the latest assistant message must stay as it is.'
        : "The running turn's thinking must stay as it is.",
    );
  }
}
