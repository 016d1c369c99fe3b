/**
 * Repeats a check until it no longer throws: recording runs behind the answers, so the archive may still be writing.
 * @throws what the check threw last, after `limitMs`
 */
export async function eventually<Value>(check: () => Promise<Value>, limitMs = 20_000): Promise<Value> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
