/** Why bytes that were sent before changed, as an end of a sentence. */
export const LAYOUT_REASONS: Readonly<Record<string, string>> = {
  pause: 'after a pause: the provider had to read the prompt anew anyway',
  window: 'because the prompt would have passed its limit',
  cost: 'because the cheaper requests have paid for it',
  person: 'because you asked for it',
  undo: 'because you took the one before back',
  too_large: 'because the provider refused the prompt as too large',
  fallback: 'because the provider refused the form before',
  unseen: 'because an answer was given that Context Mode did not see',
};

/** The same in a word or two, for a badge. */
export const LAYOUT_NAMES: Readonly<Record<string, string>> = {
  pause: 'after a pause',
  window: 'at the window',
  cost: 'it pays',
  person: 'by hand',
  undo: 'taken back',
  too_large: 'too large',
  fallback: 'fall-back',
  unseen: 'unseen answer',
};
