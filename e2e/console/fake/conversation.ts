import type { ItemKind, Role } from '../../../server/conversation/index.ts';

/** One row of a scripted conversation, before it has ids and times. */
export interface Line {
  readonly kind: ItemKind | 'head_move' | 'client_compaction' | 'partial_answer' | 'request_failed';
  readonly text: string;
  readonly tool?: string;
  readonly mainInput?: string;
  readonly call?: string;
  readonly thread?: string;
  readonly isError?: boolean;
  readonly ranMs?: number;
  readonly image?: boolean;
  readonly masked?: boolean;
  readonly data?: Readonly<Record<string, string | number | boolean | null>>;
  /** Minutes after the line before. */
  readonly later?: number;
}

/** Who speaks in a line of a kind. */
export function roleOf(kind: Line['kind']): Role | null {
  if (kind === 'answer' || kind === 'reasoning' || kind === 'tool_call') return 'assistant';
  if (kind === 'system') return 'system';
  if (['input', 'injected', 'tool_result', 'image', 'file', 'compaction', 'unknown'].includes(kind))
    return 'user';
  return null;
}

const call = (
  id: string,
  tool: string,
  mainInput: string,
  input: object,
  over: Partial<Line> = {},
): Line => ({
  kind: 'tool_call',
  tool,
  mainInput,
  call: id,
  text: JSON.stringify(input),
  ...over,
});
const result = (id: string, text: string, ranMs: number, over: Partial<Line> = {}): Line => ({
  kind: 'tool_result',
  call: id,
  text,
  ranMs,
  ...over,
});

const QUOTA = `import type { Account } from './account.ts';

/** Requests that an account may make in one minute. */
export function quotaOf(account: Account): number {
  if (account.plan === 'free') return 60;
  return account.plan === 'team' ? 6000 : 600;
}
`;

const TEST_OUTPUT = `\u001b[1m\u001b[46m RUN \u001b[49m\u001b[22m v4.1.12 /home/ada/billing

 \u001b[32m✓\u001b[39m src/quota.test.ts (4 tests) 12ms
 \u001b[31m×\u001b[39m src/refund.test.ts (3 tests | 1 failed) 18ms
   → expected 14 to be 30

 Test Files  1 failed | 1 passed (2)
      Tests  1 failed | 6 passed (7)
`;

/** A session in which everything occurs that a transcript must show. */
export const REFUND_SESSION: readonly Line[] = [
  {
    kind: 'system',
    text: 'You are a coding agent. Work in the folder that is named below and use the tools that are offered.\n\n# Environment\n - Primary working directory: /home/ada/billing',
  },
  {
    kind: 'injected',
    text: '<system-reminder>\nAs you answer, you can use this context:\n# claudeMd\nRun the tests with `npm test`. Prices are integers in cents.\n</system-reminder>',
  },
  {
    kind: 'input',
    text: 'The refund window should be 30 days for team accounts, not 14. Find where it is decided, change it, and make sure that the tests say so.',
  },
  {
    kind: 'reasoning',
    text: 'I should look for where the refund window is decided. The name may be refundWindow or refund_window. Search first, read second.',
  },
  { kind: 'answer', text: 'I will look for where the refund window is decided.', later: 1 },
  call('t1', 'Grep', 'refundWindow', {
    pattern: 'refundWindow',
    path: 'src',
    output_mode: 'content',
    '-n': true,
  }),
  call('t2', 'Read', 'src/quota.ts', { file_path: '/home/ada/billing/src/quota.ts' }),
  result('t2', QUOTA, 8),
  result(
    't1',
    'src/refund.ts:4:export const refundWindowDays = 14;\nsrc/refund.ts:11:  return days <= refundWindowDays;\nsrc/refund.test.ts:9:  expect(refundWindowDays).toBe(14);',
    41,
  ),
  call('t3', 'Read', 'src/refund.ts', { file_path: '/home/ada/billing/src/refund.ts' }, { later: 1 }),
  result(
    't3',
    'export const refundWindowDays = 14;\n\n/** Asks support@example.test before a late refund. */\nexport function mayRefund(days: number): boolean {\n  return days <= refundWindowDays;\n}\n// contact: [masked:email:3f2a91c04b7e]\n',
    6,
    { masked: true },
  ),
  {
    kind: 'answer',
    text: "The window is one constant for every plan. I will turn it into a function of the account, as `quotaOf` does:\n\n```ts\nexport function refundWindowOf(account: Account): number {\n  return account.plan === 'team' ? 30 : 14;\n}\n```\n\nThen the one caller and the test follow.",
  },
  call('t4', 'Edit', 'src/refund.ts', {
    file_path: '/home/ada/billing/src/refund.ts',
    old_string: 'export const refundWindowDays = 14;',
    new_string:
      "export function refundWindowOf(account: Account): number {\n  return account.plan === 'team' ? 30 : 14;\n}",
  }),
  result('t4', 'The file /home/ada/billing/src/refund.ts has been updated.', 12),
  call('t5', 'Bash', 'npm test', { command: 'npm test', description: 'Run the tests' }, { later: 1 }),
  result('t5', TEST_OUTPUT, 4210, { isError: true }),
  {
    kind: 'reasoning',
    text: 'The test in refund.test.ts still expects the constant. It has to ask for a team account.',
  },
  {
    kind: 'answer',
    text: 'One test still expects the old constant. I let a sub-agent go through the other tests while I change this one.',
  },
  call('t6', 'Task', 'Check every test that mentions refunds', {
    description: 'Check refund tests',
    prompt: 'Check every test that mentions refunds and list those that assume 14 days.',
    subagent_type: 'Explore',
  }),
  {
    kind: 'input',
    text: 'Check every test that mentions refunds and list those that assume 14 days.',
    thread: 'a71fe20c9b3d4e581',
    later: 1,
  },
  call('s1', 'Grep', '14', { pattern: '\\b14\\b', glob: '**/*.test.ts' }, { thread: 'a71fe20c9b3d4e581' }),
  result('s1', 'src/refund.test.ts:9\nsrc/invoice.test.ts:31', 22, { thread: 'a71fe20c9b3d4e581' }),
  {
    kind: 'answer',
    text: 'Two tests mention 14: `src/refund.test.ts:9` is about refunds, `src/invoice.test.ts:31` is about a due date.',
    thread: 'a71fe20c9b3d4e581',
  },
  result(
    't6',
    'Two tests mention 14: src/refund.test.ts:9 is about refunds, src/invoice.test.ts:31 is about a due date.\nagentId: a71fe20c9b3d4e581',
    31_400,
  ),
  call('t7', 'Edit', 'src/refund.test.ts', {
    file_path: '/home/ada/billing/src/refund.test.ts',
    old_string: 'expect(refundWindowDays).toBe(14);',
    new_string: 'expect(refundWindowOf(team)).toBe(30);',
  }),
  result('t7', 'The file /home/ada/billing/src/refund.test.ts has been updated.', 9),
  call('t8', 'Bash', 'npm test', { command: 'npm test' }, { later: 1 }),
  result('t8', 'Test Files  2 passed (2)\n     Tests  7 passed (7)\n', 3890),
  {
    kind: 'answer',
    text: 'Done. Team accounts have a refund window of 30 days, all others still 14. The seven tests pass, and the due date in `invoice.test.ts` was left alone because it is about something else.',
  },
  { kind: 'input', text: 'Here is the design of the settings page. Does the wording fit?', later: 42 },
  { kind: 'image', text: '', image: true },
  {
    kind: 'answer',
    text: 'The page says “14 days” in its second line. It should say “30 days for teams”.\n\n<script>document.title = "run"</script>\n<img src=x onerror="document.title=\'run\'">\n\nThe lines above are what the page\'s source holds; I did not change them.',
  },
  { kind: 'partial_answer', text: '', data: { reason: 'connection lost', characters: 118 }, later: 2 },
  { kind: 'request_failed', text: '', data: { status: 529, type: 'overloaded_error' } },
  { kind: 'input', text: 'Try again, and check that the file name invoice\u202egnp.exe is not a trick.' },
  call('t9', 'Bash', 'ls -la assets', { command: 'ls -la assets' }),
  result(
    't9',
    'total 8\n-rw-r--r-- 1 ada ada  812 invoice\u202egnp.exe\n-rw-r--r-- 1 ada ada 1024 logo.png\u0000\n',
    31,
  ),
  {
    kind: 'answer',
    text: 'It is a trick: the name holds a right-to-left override, so it reads like a picture and is a program. Do not open it.',
  },
  { kind: 'head_move', text: '', data: { to: 34 }, later: 620 },
  { kind: 'input', text: 'Good morning. Leave the file, and write the change log entry.' },
  call('t10', 'Read', 'src/refund.ts', { file_path: '/home/ada/billing/src/refund.ts' }),
  result(
    't10',
    "export function refundWindowOf(account: Account): number {\n  return account.plan === 'team' ? 30 : 14;\n}\n",
    5,
  ),
  { kind: 'unknown', text: '{"type":"container_upload","file_id":"file_018"}' },
  {
    kind: 'answer',
    text: 'Added to `CHANGELOG.md`:\n\n> Team accounts can be refunded within 30 days (was 14).',
  },
];
