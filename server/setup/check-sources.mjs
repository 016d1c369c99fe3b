// The rule that the environment, the clock, randomness and the network are reached only at the rim: product code takes
// them as values. Also: no folder's drawer names, which gather what belongs nowhere.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { isEntry, root, sourceFiles } from './project.mjs';

/** What may not be written in product code, and the files that may. */
const RULES = [
  {
    what: 'process.env',
    pattern: /\bprocess\s*\.\s*env\b/,
    allowed: [/^server\/(main|next-alone)\.ts$/, /^(instrumentation|proxy|app\/_lib\/start-services)\.ts$/],
  },
  { what: 'the clock (Date.now)', pattern: /\bDate\s*\.\s*now\b/, allowed: [] },
  { what: 'the clock (new Date())', pattern: /\bnew\s+Date\s*\(\s*\)/, allowed: [] },
  { what: 'Math.random', pattern: /\bMath\s*\.\s*random\b/, allowed: [] },
  {
    what: 'fetch',
    pattern: /(?<![.\w])fetch\s*\(|\bglobalThis\s*\.\s*fetch\b/,
    allowed: [/^server\/gateway\/upstream\.ts$/],
  },
];

/** The rim itself, tests and what only tests use. The command is a program of its own with a rim of its own. */
const EXEMPT = [
  /^server\/kernel\//,
  /^server\/setup\//,
  /^server\/cli\/(real-world|build|main)\.(ts|mjs)$/,
  /\.test\.tsx?$/,
  /^server\/.*\/testing(-[a-z]+)?\.ts$/,
  /^server\/.*\/testing\//,
];

const DRAWER = /(^|\/)(utils?|helpers?|common|misc)(\/|\.[a-z]+$)/;

/** The source without comments, line for line, so that a rule is not broken by being spoken of. */
function withoutComments(text) {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
    .replace(/(^|[\s;{}(,])\/\/[^\n]*/g, '$1');
}

/** Every breach in one file, as lines for a person. */
export function breachesIn(path, text) {
  const found = DRAWER.test(path) ? [`${path}: name the file or folder by what it decides`] : [];
  if (EXEMPT.some((pattern) => pattern.test(path))) return found;
  const rules = RULES.filter((rule) => !rule.allowed.some((pattern) => pattern.test(path)));
  withoutComments(text)
    .split('\n')
    .forEach((line, index) => {
      for (const { what, pattern } of rules) {
        if (pattern.test(line))
          found.push(`${path}:${index + 1}: ${what} may not be used here; take it as a value`);
      }
    });
  return found;
}

if (isEntry(import.meta.url)) {
  const files = sourceFiles(['app', 'server', 'instrumentation.ts', 'proxy.ts'], (path) =>
    /\.(ts|tsx|mjs)$/.test(path),
  );
  const breaches = files.flatMap((file) =>
    breachesIn(relative(root, file).replaceAll('\\', '/'), readFileSync(file, 'utf8')),
  );
  process.stdout.write(
    breaches.length === 0 ? `${files.length} files keep the rules\n` : `${breaches.join('\n')}\n`,
  );
  process.exitCode = breaches.length === 0 ? 0 : 1;
}
