import type { Composed } from '../compose/types.ts';
import type { HiddenRound } from '../hidden/types.ts';
import { sentForms } from './sent-forms.ts';
import type { SentBooking, UpstreamRound } from './types.ts';

/** Notes what of one request went to the provider and what was billed for it, for the ledger. */
export class Bookkeeping {
  #composed: Composed | null = null;
  #appended: readonly string[] = [];
  readonly #rounds: UpstreamRound[] = [];

  /** The form that goes out: another one takes its place where the provider refuses it. */
  sends(composed: Composed): void {
    this.#composed = composed;
  }

  /** All elements of hidden rounds that the next upstream call carries behind the conversation. */
  goesOnWith(appended: readonly string[]): void {
    this.#appended = appended;
  }

  /** An upstream call of the request has ended. */
  roundEnded({ billed, outcome }: HiddenRound): void {
    this.#rounds.push({ appended: this.#appended, usage: billed, isWhole: outcome !== 'broken' });
  }

  /** What is told; null: nothing of the request was put together. Asked once its answer has ended. */
  take(): SentBooking | null {
    if (this.#composed === null) return null;
    return { forms: sentForms(this.#composed), rounds: this.#rounds };
  }
}
