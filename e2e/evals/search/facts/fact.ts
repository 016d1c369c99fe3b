import type { Random } from '../random.ts';

/** The kinds of questions, each with its own way of hiding what is asked for. */
export type QuestionClass =
  | 'decision'
  | 'setting'
  | 'identifier'
  | 'error'
  | 'log'
  | 'command'
  | 'call'
  | 'language'
  | 'unspaced'
  | 'phrase'
  | 'incident';

/** Where a piece of evidence stands in a session. */
export type Carrier = 'typed' | 'answer' | 'result' | 'input' | 'call-and-result';

/** Something that was said or done once, and how somebody asks for it later. */
export interface Fact {
  readonly kind: QuestionClass;
  readonly carrier: Carrier;
  /** What stands in the archive. Of `call-and-result`: the input, and the result. */
  readonly text: string;
  readonly result?: string;
  readonly question: string;
  /** Texts that share words with the question and do not answer it. */
  readonly distractors: readonly string[];
}

/** Makes the fact of a class with this number. */
export type Maker = (random: Random, at: number) => Fact;
