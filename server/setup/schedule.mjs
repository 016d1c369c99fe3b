// Several stages at once: which may run beside which, and their output in the stages' order.

/**
 * Runs stages, so many at once at most. One begins when the stages that it needs have ended, and where each stage that
 * runs may run beside it; of those that may begin, the first does.
 * @param stages each with `name` and, where there are any, `beside` (names of stages that it may run beside; said by one
 *   of two it holds for both) and `needs` (names; those that are no stage here are not waited for)
 * @param run given a stage and its index, and what came of the stages before by name; gives what comes of it
 * @returns what came of each, in the stages' order
 */
export async function runStages(stages, atOnce, run) {
  const results = new Map();
  const running = new Map();
  const waiting = new Set(stages);
  const names = new Set(stages.map(({ name }) => name));
  const isFree = (stage) =>
    (stage.needs ?? []).every((name) => !names.has(name) || results.has(name)) &&
    [...running.keys()].every((other) => mayRunBeside(stage, other));
  while (waiting.size > 0 || running.size > 0) {
    for (const stage of waiting) {
      if (running.size >= atOnce) break;
      if (!isFree(stage)) continue;
      waiting.delete(stage);
      const end = (result) => {
        results.set(stage.name, result);
        running.delete(stage);
      };
      running.set(stage, run(stage, stages.indexOf(stage), results).then(end));
    }
    if (running.size === 0) throw new Error('stages wait for each other');
    await Promise.race(running.values());
  }
  return stages.map(({ name }) => results.get(name));
}

function mayRunBeside(one, other) {
  return (one.beside ?? []).includes(other.name) || (other.beside ?? []).includes(one.name);
}

/**
 * As many outputs as are asked for, which come out one behind another: what is written to the first that has not ended
 * comes out at once, what is written to a later one when all before it have ended.
 */
export function outputsInOrder(count, write) {
  const outputs = Array.from({ length: count }, () => ({ held: [], ended: false }));
  let first = 0;
  const pass = () => {
    for (; first < count; first += 1) {
      for (const text of outputs[first].held.splice(0)) write(text);
      if (!outputs[first].ended) return;
    }
  };
  return outputs.map((output) => ({
    write(text) {
      output.held.push(text);
      pass();
    },
    end() {
      output.ended = true;
      pass();
    },
  }));
}
