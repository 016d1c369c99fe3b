import { randomBytes } from 'node:crypto';
import type { DemoConversation } from './conversation.ts';

/** Where the two repositories say that they come from. Nothing is ever fetched from there. */
export const REMOTES = {
  shop: 'https://git.example/acme/shop.git',
  site: 'https://git.example/acme/site.git',
};

/** Two by two pixels, so that an image can be seen in the archive. */
const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP8z8Dwn4GBgYmBgYGBAQAkBgMBuW2RMgAAAABJRU5ErkJggg==';
/** Made anew at each run: it looks like a key and opens nothing. */
const invented = `ghp_${randomBytes(40)
  .toString('base64')
  .replace(/[^A-Za-z0-9]/g, 'k')
  .slice(0, 36)}`;

const quota = `export const REFUND_WINDOW_DAYS = 14;

export function isRefundable(order: Order, now: Date): boolean {
  const age = (now.getTime() - order.paidAt.getTime()) / 86_400_000;
  return age < REFUND_WINDOW_DAYS;
}
`;

const failing = `> shop@2.3.0 test
> vitest run src/billing

 FAIL  src/billing/quota.test.ts > refunds an order on its last day
AssertionError: expected false to be true
 ❯ src/billing/quota.test.ts:31:40

 Tests  1 failed | 11 passed (12)
`;

/**
 * A scripted day in two repositories, one of them with two worktrees: what the demo's screens are filled with.
 * @param root folder that holds `shop`, its worktree `shop-export` and `site`
 */
export function dayIn(root: string): readonly DemoConversation[] {
  const shop = { folder: `${root}/shop`, branch: 'main', remote: REMOTES.shop };
  const shopExport = { ...shop, folder: `${root}/shop-export`, branch: 'csv-export' };
  const site = { folder: `${root}/site`, branch: 'main', remote: REMOTES.site };
  return [
    {
      agent: 'claude-code',
      ...shop,
      turns: [
        {
          prompt: 'run the billing tests and fix what fails, keep the refund window at 14 days',
          rounds: [
            [
              { think: 'The tests first, then the code they point at.' },
              { say: 'I will run the billing tests and look at what fails.' },
              {
                call: 'Bash',
                input: { command: 'npm test -- src/billing', description: 'Run the billing tests' },
              },
            ],
            [
              {
                say: 'One test fails, at the edge of the refund window. I read the code and the environment it runs in.',
              },
              { call: 'Read', input: { file_path: `${root}/shop/src/billing/quota.ts` } },
              { call: 'Bash', input: { command: 'cat .env', description: 'Show the environment' } },
            ],
            [
              { say: 'The comparison leaves the last day out.' },
              {
                call: 'Edit',
                input: {
                  file_path: `${root}/shop/src/billing/quota.ts`,
                  old_string: 'age < REFUND_WINDOW_DAYS',
                  new_string: 'age <= REFUND_WINDOW_DAYS',
                },
              },
            ],
            [
              {
                call: 'Bash',
                input: { command: 'npm test -- src/billing', description: 'Run the billing tests again' },
              },
            ],
            [
              {
                say: 'Fixed: `isRefundable` counted the last day as too late. The window stays at 14 days, all 12 tests pass.',
              },
            ],
          ],
          results: [
            failing,
            quota.replace(/^/gm, '    →'),
            `PORT=3000\nGITHUB_TOKEN=${invented}\nDATABASE_URL=postgres://shop:correct-horse-7@db.internal:5432/shop\nREPORTS_TO=ana.lopez@example.org\n`,
            `The file ${root}/shop/src/billing/quota.ts has been updated.`,
            failing.replace(/ FAIL[\s\S]*?40\n\n/, '').replace('1 failed | 11 passed', '12 passed'),
          ],
        },
        {
          prompt: 'have somebody look for other places that compare ages of orders',
          rounds: [
            [
              { say: 'I give that to a sub-agent.' },
              {
                call: 'Agent',
                input: {
                  description: 'Find age comparisons',
                  subagent_type: 'general-purpose',
                  prompt: 'List every place in src/ that compares the age of an order.',
                },
              },
            ],
            [
              {
                say: 'There are two more: `invoices/reminder.ts` and `orders/archive.ts`. Both count the last day already.',
              },
            ],
          ],
          delegated: {
            prompt: 'List every place in src/ that compares the age of an order.',
            rounds: [
              [{ call: 'Bash', input: { command: 'grep -rn "paidAt" src/', description: 'Search' } }],
              [
                {
                  say: 'src/invoices/reminder.ts:18 and src/orders/archive.ts:44 compare ages; both use <=.',
                },
              ],
            ],
            results: [
              'src/invoices/reminder.ts:18:  if (daysSince(order.paidAt) <= 14) {\nsrc/orders/archive.ts:44:  return daysSince(order.paidAt) <= KEEP_DAYS;\n',
            ],
          },
        },
        {
          prompt: 'show me the new chart',
          rounds: [
            [{ call: 'Read', input: { file_path: `${root}/shop/docs/chart.png` } }],
            [{ say: 'That is the chart as it is rendered now: four coloured fields, no labels yet.' }],
          ],
          results: [[{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture } }]],
        },
      ],
    },
    {
      agent: 'claude-code',
      ...shopExport,
      turns: [
        {
          prompt: 'add a CSV export of refunds, semicolons as separator, dates as YYYY-MM-DD',
          rounds: [
            [
              { say: 'I write the export beside the billing code.' },
              {
                call: 'Write',
                input: {
                  file_path: `${root}/shop-export/src/billing/export.ts`,
                  content:
                    "export const toCsv = (rows: Refund[]) =>\n  rows.map((row) => [row.id, row.day.toISOString().slice(0, 10), row.amount].join(';')).join('\\n');\n",
                },
              },
            ],
            [
              {
                say: 'Done: `toCsv` writes one refund a line, separated by semicolons, with the day as YYYY-MM-DD.',
              },
            ],
          ],
          results: [`File created successfully at: ${root}/shop-export/src/billing/export.ts`],
        },
      ],
    },
    {
      agent: 'codex',
      ...site,
      turns: [
        {
          prompt: 'why is the landing page slow? measure before you change anything',
          rounds: [
            [
              { think: 'Measure first.' },
              { say: 'I measure the page as it is.' },
              { call: 'exec_command', input: { cmd: 'npm run measure' } },
            ],
            [{ call: 'exec_command', input: { cmd: 'ls -la public/img' } }],
            [
              {
                say: 'The hero image is 4.1 MB and holds the page back by 2.8 s. Everything else is under 100 ms. I have changed nothing.',
              },
            ],
          ],
          results: [
            'first paint 3.1 s\nlargest paint 3.4 s (img/hero.png)\nscripts 84 ms\n',
            'total 4120\n-rw-r--r-- 1 dev dev 4198233 hero.png\n',
          ],
        },
        {
          prompt: 'shrink it to what is shown, keep the original',
          rounds: [
            [
              {
                call: 'exec_command',
                input: {
                  cmd: 'cp public/img/hero.png originals/ && convert public/img/hero.png -resize 1440x public/img/hero.webp',
                },
              },
            ],
            [{ say: 'The page now loads `hero.webp` (96 kB). The original lies in `originals/hero.png`.' }],
          ],
          results: [''],
        },
      ],
    },
    {
      agent: 'opencode',
      ...site,
      turns: [
        {
          prompt: 'which pages still load the old hero image?',
          rounds: [
            [
              { say: 'I look for the old name.' },
              { call: 'bash', input: { command: 'grep -rln "hero.png" src/' } },
            ],
            [{ say: 'Two: `src/pages/about.tsx` and `src/pages/press.tsx`.' }],
          ],
          results: ['src/pages/about.tsx\nsrc/pages/press.tsx\n'],
        },
      ],
    },
    {
      agent: 'pi',
      ...shop,
      turns: [
        {
          prompt: 'is the export branch behind main?',
          rounds: [
            [{ call: 'bash', input: { command: 'git rev-list --count csv-export..main' } }],
            [{ say: 'By three commits.' }],
          ],
          results: ['3\n'],
        },
        { prompt: 'then leave it until tomorrow', rounds: [[{ say: 'I leave it as it is.' }]] },
      ],
    },
  ];
}
