/** Something whose calls go to whatever is there at the moment of the call. */
export function deferred<Target extends object>(target: () => Target): Target {
  return new Proxy({} as Target, {
    get:
      (_target, name) =>
      (...parameters: unknown[]) => {
        const there = target();
        return (Reflect.get(there, name) as (...given: unknown[]) => unknown)(...parameters);
      },
  });
}
