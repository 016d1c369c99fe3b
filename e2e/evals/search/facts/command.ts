import { word } from '../filler.ts';
import type { Maker } from './fact.ts';

const TOOLS = [
  ['docker build', ['--no-cache', '--squash', '--pull=false', '--target=slim']],
  ['pg_dump', ['--no-owner', '--snapshot=auto', '--exclude-table=audit', '-Fd']],
  ['ffmpeg', ['-vn', '-movflags=+faststart', '-crf=23', '-an']],
  ['rsync', ['--partial', '--delete-after', '--checksum', '--inplace']],
  ['git push', ['--force-with-lease', '--follow-tags', '--atomic', '--signed']],
  ['kubectl rollout', ['--to-revision=3', '--timeout=90s', '--watch=false', '--dry-run=server']],
] as const;

/** A command with a flag. */
export const command: Maker = (random, at) => {
  const [tool, flags] = TOOLS[at % TOOLS.length] ?? TOOLS[0];
  const flag = random.pick(flags);
  const target = `${word(random)}-${random.below(900)}`;
  return {
    kind: 'command',
    carrier: 'input',
    text: JSON.stringify({
      command: `cd /srv/${target} && ${tool} ${flag} ${target}`,
      description: `Work on ${target}`,
    }),
    question: random.pick([
      `${tool} ${flag} ${target}`,
      `How did we call ${tool} for ${target}?`,
      `the ${tool.split(' ')[0]} command with ${flag} on ${target}`,
    ]),
    distractors: [
      `Never use ${tool} with ${random.pick(flags)}.`,
      `${target.split('-')[0]} first, then ${tool}.`,
    ],
  };
};
