import type { Timers } from '../keep-alive.ts';

/** What came of work that has a deadline. */
export type Outcome<T> =
  | { readonly is: 'done'; readonly value: T }
  | { readonly is: 'late' }
  | { readonly is: 'failed'; readonly error: unknown };

/** The outcome of work within `ms`; what it comes to afterwards is not looked at. Never rejects. */
export function within<T>(work: Promise<T>, ms: number, timers: Timers): Promise<Outcome<T>> {
  return new Promise((resolve) => {
    const timer = timers.after(ms, () => resolve({ is: 'late' }));
    const end = (outcome: Outcome<T>) => {
      timers.cancel(timer);
      resolve(outcome);
    };
    work.then(
      (value) => end({ is: 'done', value }),
      (error: unknown) => end({ is: 'failed', error }),
    );
  });
}
