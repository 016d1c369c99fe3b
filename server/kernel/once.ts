/** What calls a function at most once, and gives every caller the same. */
export function once<Result>(make: () => Result): () => Result {
  let made: { readonly result: Result } | null = null;
  return () => {
    made ??= { result: make() };
    return made.result;
  };
}
