/** A text of a kind that stands in requests, with what a public tokenizer (o200k) counts in it. */
export interface Sample {
  readonly kind: string;
  readonly text: string;
  /** Counted with gpt-tokenizer 2.9.0 in December 2026. */
  readonly o200k: number;
}

const PROSE = `The gateway keeps every word that passes through it, and it never changes what it was not asked to change.
When a conversation grows longer than the window of its model, the older part leaves the view; it does not leave the
archive. A reader who wants to know what was said on a Tuesday three months ago can look it up, and finds it as it was
said. Nobody has to trust a summary, because there is none: what stands in its place is a list of what happened, one line
for each step, with the words of the person who asked for it.`;

const CODE = `export class RateLimiter {
  readonly #capacity: number;
  readonly #refillPerSecond: number;
  #tokens: number;
  #updatedAt: number;

  constructor(capacity: number, refillPerSecond: number, now: number) {
    this.#capacity = capacity;
    this.#refillPerSecond = refillPerSecond;
    this.#tokens = capacity;
    this.#updatedAt = now;
  }

  /** Takes tokens if there are enough of them, else says how long to wait. */
  take(count: number, now: number): { ok: true } | { ok: false; waitMs: number } {
    const elapsed = Math.max(0, now - this.#updatedAt) / 1000;
    this.#tokens = Math.min(this.#capacity, this.#tokens + elapsed * this.#refillPerSecond);
    this.#updatedAt = now;
    if (this.#tokens >= count) {
      this.#tokens -= count;
      return { ok: true };
    }
    return { ok: false, waitMs: Math.ceil(((count - this.#tokens) / this.#refillPerSecond) * 1000) };
  }
}`;

const DATA = JSON.stringify(
  Array.from({ length: 12 }, (_, index) => ({
    id: `ord_${1000 + index * 37}`,
    customer: { name: `Customer ${index}`, email: `customer${index}@example.com`, vip: index % 3 === 0 },
    total: (index + 1) * 1999,
    currency: 'EUR',
    placedAt: `2026-11-${String(index + 10)}T09:${String(index * 4 + 10)}:00.000Z`,
  })),
  null,
  2,
);

const LOG = Array.from(
  { length: 14 },
  (_, index) =>
    `2026-11-30T14:0${index % 10}:1${index % 7}.${100 + index * 31}Z INFO  [worker-${index % 4}] request ${(0x3fa29b10 + index * 7919).toString(16)} finished in ${12 + index * 3} ms (status=200, bytes=${4096 + index * 513})`,
).join('\n');

const LISTING = Array.from(
  { length: 16 },
  (_, index) =>
    `-rw-r--r-- 1 build build ${String(1200 + index * 731).padStart(7)} Nov ${10 + index} 09:${10 + index * 3} file-${index}.test.ts`,
).join('\n');

const HEX = Array.from({ length: 16 }, (_, line) => {
  const words = Array.from({ length: 8 }, (_, at) =>
    ((line * 40503 + at * 30011 + 4660) & 0xffff).toString(16).padStart(4, '0'),
  );
  return `${(line * 16).toString(16).padStart(8, '0')}: ${words.join(' ')}`;
}).join('\n');

const CHINESE = `网关保存经过它的每一个字,并且从不修改没有被要求修改的内容。当对话变得比模型的窗口更长时,较早的部分会离开视图,
但不会离开档案。想知道三个月前的星期二说了什么的读者可以查到原话。没有人需要相信摘要,因为根本没有摘要:取而代之的是一份清单,
每一步一行,并附上提出要求的人的原话。`;

const RUSSIAN = `Шлюз хранит каждое слово, которое через него проходит, и никогда не меняет того, что его не просили менять.
Когда разговор становится длиннее окна модели, старая часть уходит из поля зрения, но остаётся в архиве.`;

/** One of each kind. */
export const SAMPLES: readonly Sample[] = [
  { kind: 'English prose', text: PROSE, o200k: 120 },
  { kind: 'TypeScript', text: CODE, o200k: 250 },
  { kind: 'JSON', text: DATA, o200k: 998 },
  { kind: 'a log', text: LOG, o200k: 614 },
  { kind: 'a listing', text: LISTING, o200k: 431 },
  { kind: 'hex', text: HEX, o200k: 496 },
  { kind: 'Chinese', text: CHINESE, o200k: 108 },
  { kind: 'Russian', text: RUSSIAN, o200k: 52 },
];
