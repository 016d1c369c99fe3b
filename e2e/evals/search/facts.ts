import { identifier, word } from './filler.ts';
import type { Random } from './random.ts';

/** The kinds of questions, each with its own way of hiding what is asked for. */
export type QuestionClass =
  | 'decision'
  | 'setting'
  | 'identifier'
  | 'error'
  | 'log'
  | 'command'
  | 'call'
  | 'language'
  | 'unspaced'
  | 'phrase'
  | 'incident';

/** Where a piece of evidence stands in a session. */
export type Carrier = 'typed' | 'answer' | 'result' | 'input' | 'call-and-result';

/** Something that was said or done once, and how somebody asks for it later. */
export interface Fact {
  readonly kind: QuestionClass;
  readonly carrier: Carrier;
  /** What stands in the archive. Of `call-and-result`: the input, and the result. */
  readonly text: string;
  readonly result?: string;
  readonly question: string;
  /** Texts that share words with the question and do not answer it. */
  readonly distractors: readonly string[];
}

const SUBSYSTEMS = [
  ['invoice exporter', 'the thing that writes invoices out'],
  ['thumbnail service', 'the part that makes small pictures'],
  ['login throttle', 'the brake on sign-ins'],
  ['search crawler', 'the crawler for search'],
  ['payment webhook', 'the hook that payments call'],
  ['nightly backup', 'the backup that runs at night'],
  ['mail digest', 'the digest mails'],
  ['quota meter', 'the meter for quotas'],
  ['upload gateway', 'the gateway for uploads'],
  ['session store', 'where sessions are stored'],
  ['coupon engine', 'the engine behind coupons'],
  ['audit trail', 'the trail of audits'],
  ['feature toggle panel', 'the panel with feature toggles'],
  ['tax calculator', 'the calculation of taxes'],
  ['locale loader', 'the loading of locales'],
  ['shipment tracker', 'the tracking of shipments'],
  ['price feed', 'the feed with prices'],
  ['captcha gate', 'the gate with the captcha'],
  ['report scheduler', 'the scheduling of reports'],
  ['avatar cropper', 'the cropping of avatars'],
  ['chat relay', 'the relay for chats'],
  ['stock ledger', 'the ledger of stock'],
  ['vendor portal', 'the portal for vendors'],
  ['map tile cache', 'the cached map tiles'],
] as const;

const CHOICES = [
  ['Redis', 'Postgres', 'it survives a restart'],
  ['a cron job', 'a queue', 'runs must not overlap'],
  ['JSON', 'CBOR', 'mobile data is expensive'],
  ['polling', 'server-sent events', 'proxies cut idle connections'],
  ['UUIDv4', 'UUIDv7', 'the index stays compact'],
  ['REST', 'GraphQL', 'partners write their own clients'],
  ['soft deletes', 'hard deletes', 'the law asks for it'],
  ['feature branches', 'trunk', 'reviews got too long'],
  ['Jest', 'Vitest', 'start-up takes a second less'],
  ['floating point', 'integer cents', 'sums came out wrong'],
  ['one big table', 'monthly partitions', 'dropping old rows must be cheap'],
  ['S3', 'local disks', 'egress is half of the bill'],
] as const;

const PEOPLE = [
  'Ines',
  'Bogdan',
  'Marit',
  'Tomasz',
  'Wanjiru',
  'Kaoru',
  'Leila',
  'Pieter',
  'Sunniva',
  'Dmitri',
  'Aoife',
  'Rafael',
];
const SETTINGS = [
  ['retry limit', 'How often is it tried again in', 'attempts'],
  ['request timeout', 'How long does it wait in', 'seconds'],
  ['batch size', 'How many rows go at once through', 'rows'],
  ['retention period', 'How many days are things kept by', 'days'],
  ['rate limit', 'How many requests a minute are let through by', 'requests per minute'],
  ['cache lifetime', 'How long are entries cached by', 'minutes'],
  ['pool size', 'How many connections are pooled for', 'connections'],
] as const;
const ERRORS = [
  'TypeError',
  'RangeError',
  'ECONNRESET',
  'ENOSPC',
  'ValueError',
  'KeyError',
  'SIGBUS',
  'E2BIG',
  'EMFILE',
  'DeadlockDetected',
];
const TOOLS = [
  ['docker build', ['--no-cache', '--squash', '--pull=false', '--target=slim']],
  ['pg_dump', ['--no-owner', '--snapshot=auto', '--exclude-table=audit', '-Fd']],
  ['ffmpeg', ['-vn', '-movflags=+faststart', '-crf=23', '-an']],
  ['rsync', ['--partial', '--delete-after', '--checksum', '--inplace']],
  ['git push', ['--force-with-lease', '--follow-tags', '--atomic', '--signed']],
  ['kubectl rollout', ['--to-revision=3', '--timeout=90s', '--watch=false', '--dry-run=server']],
] as const;

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const number = (random: Random) => String(3 + random.below(997));

type Maker = (random: Random, at: number) => Fact;

const decision: Maker = (random, at) => {
  const [name, told] = SUBSYSTEMS[at % SUBSYSTEMS.length] ?? SUBSYSTEMS[0];
  const [old, fresh, because] = CHOICES[Math.floor(at / 2) % CHOICES.length] ?? CHOICES[0];
  const who = random.pick(PEOPLE);
  return {
    kind: 'decision',
    carrier: random.below(2) === 0 ? 'typed' : 'answer',
    text: random.pick([
      `${who} and I talked: the ${name} moves from ${old} to ${fresh}, because ${because}.`,
      `Let's settle this now. For the ${name} we take ${fresh} and not ${old}; ${because}.`,
      `OK, decided with ${who}: ${fresh} in the ${name} (so no more ${old}), as ${because}.`,
    ]),
    question: random.pick([
      `Why did we leave ${old} in the ${name}?`,
      `What was decided about ${old} for the ${name}, and why?`,
      `Which replacement for ${old} did we choose in ${told}?`,
      `What was the reason for ${fresh} in ${told}?`,
    ]),
    distractors: [
      `The ${name} was green again after the second run.`,
      `Somebody should document why ${old} was chosen in the ${random.pick(SUBSYSTEMS)[0]}.`,
      `What was decided about the ${name} last week? I do not remember, and nothing was written down about the reason.`,
    ],
  };
};

const setting: Maker = (random, at) => {
  const [name, told] = SUBSYSTEMS[(at * 5 + 1) % SUBSYSTEMS.length] ?? SUBSYSTEMS[0];
  const [what, ask, unit] = SETTINGS[at % SETTINGS.length] ?? SETTINGS[0];
  const value = number(random);
  const key = `${name.replaceAll(' ', '_')}_${what.replaceAll(' ', '_')}`;
  const forms = [
    `The ${what} of the ${name} is ${value} ${unit} from today on.`,
    `${key.toUpperCase()}=${value}`,
    `  ${name.replaceAll(' ', '-')}:\n    ${what.replaceAll(' ', '-')}: ${value} # ${unit}`,
  ];
  const form = random.below(forms.length);
  return {
    kind: 'setting',
    carrier: form === 0 ? 'typed' : 'result',
    text: forms[form] ?? '',
    question: random.pick([
      `What is the ${what} for the ${name}?`,
      `${what} ${name}`,
      `${ask} the ${name}?`,
      `What ${what} did we set for ${told}?`,
    ]),
    distractors: [
      `The ${what} of the ${random.pick(SUBSYSTEMS)[0]} is under discussion.`,
      `The ${name} has another ${random.pick(SETTINGS)[0]} in staging, nobody knows which ${unit}.`,
    ],
  };
};

const asName: Maker = (random, at) => {
  const [one, two, three] = [word(random), word(random), word(random)];
  const parts = [one, two === one ? 'ledger' : two, three === one || three === two ? 'drift' : three];
  const camel = parts.map((part, n) => (n === 0 ? part : capital(part))).join('');
  const forms = [
    `export function ${camel}(input: string): number {`,
    `def ${parts.join('_')}(rows):`,
    `.${parts.join('-')} { display: none }`,
    `const ${parts.join('_').toUpperCase()} = ${at};`,
  ];
  return {
    kind: 'identifier',
    carrier: 'result',
    text: `${random.below(90)}\t${random.pick(forms)}\n\t  return ${at};`,
    question: random.pick([
      `Where is ${parts.join(' ')} defined?`,
      camel,
      parts.join('_'),
      `the function that does ${parts.join(' ')}`,
    ]),
    distractors: [`The ${parts[0]} and the ${parts[2]} are fine.`, `We ${parts[1]} every ${parts[0]}.`],
  };
};

const error: Maker = (random, at) => {
  const kind = ERRORS[at % ERRORS.length] ?? 'TypeError';
  const name = identifier(random);
  const [system] = random.pick(SUBSYSTEMS);
  const line = 10 + random.below(800);
  const text = `${kind}: cannot ${word(random)} '${name}' of undefined (at ${system.replaceAll(' ', '-')}.js:${line}:7)`;
  return {
    kind: 'error',
    carrier: 'result',
    text: `npm test\n\nFAIL ${system}\n  ${text}\n    at Object.<anonymous>`,
    question: random.pick([
      `Where did ${kind} come up with ${name}?`,
      text.slice(0, text.indexOf('(') - 1),
      `What failed with "'${name}' of undefined"?`,
      `${kind} in the ${system}, line ${line}`,
    ]),
    distractors: [`${kind} again, of undefined, somewhere else.`, `${name} is tested in the ${system}.`],
  };
};

const log: Maker = (random) => {
  const order = `ORD-${10_000 + random.below(89_999)}`;
  const [system] = random.pick(SUBSYSTEMS);
  const state = random.pick([
    'stuck in review',
    'charged twice',
    'shipped without label',
    'refused by the bank',
    'lost its address',
  ]);
  return {
    kind: 'log',
    carrier: 'result',
    text: `2026-11-12T08:15:${String(random.below(60)).padStart(2, '0')}Z WARN [${system.replaceAll(' ', '-')}] order=${order} ${state}`,
    question: random.pick([
      `What happened to order ${order}?`,
      `${order} ${state}`,
      `Which order was ${state} in the ${system}?`,
    ]),
    distractors: [
      `order=ORD-${10_000 + random.below(89_999)} ${random.pick(['shipped', 'packed'])} by the ${system}`,
    ],
  };
};

const command: Maker = (random, at) => {
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

const callAndResult: Maker = (random) => {
  const path = `src/${word(random)}/${word(random)}-${random.below(500)}.ts`;
  const name = identifier(random);
  return {
    kind: 'call',
    carrier: 'call-and-result',
    text: JSON.stringify({ file_path: path }),
    result: `1\timport { ${word(random)} } from './${word(random)}.ts';\n2\tthrow new ${name}('${word(random)}');`,
    question: random.pick([
      `Where in ${path.split('/').at(-1)} is ${name} thrown?`,
      `${path} ${name}`,
      `does ${path.slice(4)} throw ${name}?`,
    ]),
    distractors: [`${name} should be thrown nowhere.`, `I looked at ${path} and found nothing.`],
  };
};

const EUROPEAN = [
  (system: string, value: string, who: string) => ({
    text: `Für ${system} gilt ab sofort: höchstens ${value} Anfragen gleichzeitig, größere Mengen lehnt ${who} ab.`,
    question: `Wie viele gleichzeitige Anfragen erlaubt ${system}?`,
    plain: `Wie viele grossere Mengen lehnt ${who} bei ${system} ab?`,
  }),
  (system: string, value: string, who: string) => ({
    text: `Le délai de réponse de ${system} a été relevé à ${value} secondes par ${who} après l'échec d'hier.`,
    question: `Quel est le délai de réponse de ${system} ?`,
    plain: `delai de reponse releve par ${who} pour ${system}`,
  }),
  (system: string, value: string, who: string) => ({
    text: `La configuración de ${system} cambió: ${who} amplió la caché a ${value} megabytes según el último análisis.`,
    question: `¿Quién amplió la caché de ${system}?`,
    plain: `configuracion cache ${system} ${who}`,
  }),
  (system: string, value: string, who: string) => ({
    text: `Rozhodli jsme, že ${system} poběží s ${value} vlákny; ${who} to ještě ověří při příští zátěžové zkoušce.`,
    question: `S kolika vlákny poběží ${system}?`,
    plain: `zatezove zkousce ${system} ${who} vlakny`,
  }),
] as const;

const european: Maker = (random, at) => {
  const [system] = SUBSYSTEMS[(at * 7 + 3) % SUBSYSTEMS.length] ?? SUBSYSTEMS[0];
  const make = EUROPEAN[at % EUROPEAN.length] ?? EUROPEAN[0];
  const made = make(system, number(random), random.pick(PEOPLE));
  return {
    kind: 'language',
    carrier: 'typed',
    text: made.text,
    question: random.below(2) === 0 ? made.question : made.plain,
    distractors: [
      make(random.pick(SUBSYSTEMS)[0], '?', random.pick(PEOPLE)).question,
      `${system} läuft wieder.`,
    ],
  };
};

const CHINESE = [
  '退款窗口',
  '库存同步',
  '登录限流',
  '发票导出',
  '夜间备份',
  '优惠券引擎',
  '地图缓存',
  '审计日志',
];
const JAPANESE = [
  '返金期間',
  '在庫同期',
  '請求書出力',
  '夜間保存',
  '通知設定',
  '地図表示',
  '権限管理',
  '検索索引',
];
const KOREAN = [
  '환불기간',
  '재고동기화',
  '로그인제한',
  '송장출력',
  '야간백업',
  '알림설정',
  '지도캐시',
  '권한관리',
];

const unspaced: Maker = (random, at) => {
  const value = number(random);
  const which = at % 3;
  if (which === 0) {
    const name = random.pick(CHINESE);
    return {
      kind: 'unspaced',
      carrier: 'typed',
      text: `我们决定把${name}的上限改成${value}次，超过以后直接拒绝，不再排队。`,
      question: random.pick([`${name}的上限是多少？`, `${name} ${value}`, `超过${name}上限以后怎么办`]),
      distractors: [`${random.pick(CHINESE)}已经修好了。`, `上限是多少还没有人知道。`],
    };
  }
  if (which === 1) {
    const name = random.pick(JAPANESE);
    return {
      kind: 'unspaced',
      carrier: 'answer',
      text: `${name}の上限を${value}件に変更しました。超えた場合は待たせずに拒否します。`,
      question: random.pick([`${name}の上限は何件ですか？`, `${name} ${value}件`, `${name}の変更内容`]),
      distractors: [`${random.pick(JAPANESE)}は問題ありません。`, '上限は何件か、まだ分かりません。'],
    };
  }
  const name = random.pick(KOREAN);
  return {
    kind: 'unspaced',
    carrier: 'typed',
    text: `${name}의 한도를 ${value}회로 바꾸기로 했습니다. 넘으면 바로 거절합니다.`,
    question: random.pick([`${name} 한도는 몇 회입니까?`, `${name} ${value}회`, `${name}을 바꾼 내용`]),
    distractors: [`${random.pick(KOREAN)}은 문제없습니다.`, '한도는 아직 모릅니다.'],
  };
};

const phrase: Maker = (random, at) => {
  const [one, two, three] = [word(random), word(random), word(random)];
  const [system] = SUBSYSTEMS[(at * 11 + 2) % SUBSYSTEMS.length] ?? SUBSYSTEMS[0];
  return {
    kind: 'phrase',
    carrier: random.below(2) === 0 ? 'answer' : 'typed',
    text: `In the ${system} I call it the ${one} ${two} ${three} rule, number ${100 + at}.`,
    question: random.pick([`"${one} ${two} ${three} rule"`, `"${one} ${two} ${three}" ${system}`]),
    distractors: [
      `The ${three} ${two} ${one} of the ${system} is no rule.`,
      `${one}, ${two} and ${three}: a rule for each.`,
    ],
  };
};

const CAUSES = [
  ['ran out of disk', 'old dumps were deleted', 'no space left'],
  ['kept a lock for an hour', 'the transaction was cut in two', 'everything waited'],
  ['got a broken certificate', 'a new one was rolled out', 'the handshake failed'],
  ['was fed a file of 9 GB', 'uploads are measured first now', 'memory was gone'],
  ['looped over a symbolic link', 'links are not followed any more', 'the walk never ended'],
  ['trusted a clock that jumped', 'monotonic time is used now', 'timers fired at once'],
] as const;

/** Asked in other words than it was told; texts about the same subject use the words of the question. */
const incident: Maker = (random, at) => {
  const [name, told] = SUBSYSTEMS[(at * 13 + 5) % SUBSYSTEMS.length] ?? SUBSYSTEMS[0];
  const [cause, cure, sign] = CAUSES[at % CAUSES.length] ?? CAUSES[0];
  const who = random.pick(PEOPLE);
  return {
    kind: 'incident',
    carrier: random.pick<Carrier>(['typed', 'answer', 'result']),
    text: `Post-mortem by ${who}: on Tuesday the ${name} ${cause} (${sign}); ${cure}.`,
    question: random.pick([
      `What brought down ${told} when ${who} was on call?`,
      `Root cause of the ${name} outage that ${who} wrote up?`,
      `How did ${who} fix the crash of the ${name}?`,
      `Why did the ${name} go down on Tuesday?`,
    ]),
    distractors: [
      `Was there an outage of the ${name}? What was the root cause, and who was on call?`,
      `${who} was on call and brought cake. No crash, nothing went down.`,
      `How do we fix a crash of the ${random.pick(SUBSYSTEMS)[0]} when it goes down on Tuesday?`,
      `The ${name} did not go down on Monday; ${random.pick(PEOPLE)} looked at it.`,
      `A root cause of the outage is not known yet.`,
    ],
  };
};

/** The makers of facts, one for each class. */
const MAKERS: readonly Maker[] = [
  decision,
  setting,
  asName,
  error,
  log,
  command,
  callAndResult,
  european,
  unspaced,
  phrase,
  incident,
];

/** Facts of every class, the same number of each. */
export function factsOf(random: Random, perClass: number): readonly Fact[] {
  return MAKERS.flatMap((make) => Array.from({ length: perClass }, (_, at) => make(random, at)));
}
