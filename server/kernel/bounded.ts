/**
 * Waits for `work`, at most `ms` milliseconds. What is still running then runs on, and its failure is nobody's.
 * @returns whether it ended in time
 * @throws what `work` throws in time
 */
export async function bounded(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
