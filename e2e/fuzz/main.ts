import { parseArgs } from 'node:util';
import { fuzzAnswers, fuzzNames, fuzzRequests } from './testing-reading.ts';
import { fuzzTransport } from './testing-transport.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
});
const count = Number(values.count);
const seed = Number(values.seed);
if (!Number.isInteger(count) || count < 1 || !Number.isInteger(seed)) {
  process.stderr.write('Usage: npm run fuzz -- [--count N] [--seed N], both whole numbers.\n');
  process.exit(2);
}

process.stdout.write(`Seed ${seed}. The same seed makes the same bodies.\n`);
for (const protocol of ['anthropic', 'openai'] as const) {
  for (const face of ['node', 'web'] as const) {
    const started = performance.now();
    await fuzzTransport({ protocol, face, count, seed });
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    process.stdout.write(
      `${protocol} through ${face}: ${count} requests and answers unchanged (${seconds} s)\n`,
    );
  }
  const started = performance.now();
  const elements = fuzzRequests({ protocol, count, seed });
  const messages = fuzzAnswers({ protocol, count, seed });
  fuzzNames({ protocol, count, seed });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(
    `${protocol} read: ${elements} elements and ${messages} messages of ${count} bodies each (${seconds} s)\n`,
  );
}
process.exit(0);
