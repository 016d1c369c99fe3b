import { parseArgs } from 'node:util';
import { runAgreement, runEdits } from './testing-runs.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
});
const count = Number(values.count);
const seed = Number(values.seed);
if (!Number.isInteger(count) || count < 1 || !Number.isInteger(seed)) {
  process.stderr.write('Usage: npm run validator -- [--count N] [--seed N], both whole numbers.\n');
  process.exit(2);
}

process.stdout.write(`Seed ${seed}. The same seed makes the same conversations.\n`);
for (const protocol of ['anthropic', 'openai'] as const) {
  const random = runAgreement({ protocol, count, seed });
  process.stdout.write(`${protocol}: ${random.taken} taken and ${random.refused} refused by both\n`);
  for (const [{ alone, reason }, times] of random.exceptions)
    process.stdout.write(`  ${times} refused by the ${alone} alone: ${reason}\n`);
  const ours = runEdits({ protocol, count, seed });
  process.stdout.write(
    `${protocol}: of our edits ${ours.taken} taken by both, ${ours.refused} refused by the validator\n`,
  );
}
