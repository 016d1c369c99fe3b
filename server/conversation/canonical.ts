import { type JsonEntry, type JsonNode, readJson } from './json.ts';

/**
 * The one text of a JSON value: keys sorted by code unit (equal keys keep their order), no whitespace, numbers as
 * they were written, strings escaped in one way (lone surrogates and NUL as escapes, so that they stay distinct from
 * everything else). Two values have the same text exactly if they differ in key order, whitespace and escapes alone.
 */
export function canonicalText(node: JsonNode): string {
  const out: string[] = [];
  const work: (JsonNode | string)[] = [node];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    if (typeof next === 'string') out.push(next);
    else if (next.type === 'array') pushArray(work, next.items);
    else if (next.type === 'object') pushObject(work, next.entries);
    else out.push(scalarText(next));
  }
  return out.join('');
}

/** {@link canonicalText} in UTF-8. */
export function canonicalBytes(node: JsonNode): Uint8Array {
  return Buffer.from(canonicalText(node), 'utf8');
}

/**
 * True where two numbers, as written, are the same number: `1.10` and `1.1`, `1e3` and `1000`. Decimal, so that
 * numbers beyond 2^53 are not confused.
 */
export function sameNumber(left: string, right: string): boolean {
  return left === right || decimalOf(left) === decimalOf(right);
}

/**
 * True where every key and value of `sent` stands unchanged in `echoed`, which may have further keys in objects:
 * what an agent makes of a tool call's input when it adds its defaults. Arrays must be equal in length and order.
 */
export function isSuperset(echoed: JsonNode, sent: JsonNode): boolean {
  const work: [JsonNode, JsonNode][] = [[echoed, sent]];
  for (let pair = work.pop(); pair !== undefined; pair = work.pop()) {
    const [more, less] = pair;
    if (less.type === 'object' && more.type === 'object') {
      const values = new Map(more.entries.map((entry) => [entry.key, entry.value]));
      for (const entry of new Map(less.entries.map((found) => [found.key, found.value]))) {
        const other = values.get(entry[0]);
        if (other === undefined) return false;
        work.push([other, entry[1]]);
      }
    } else if (less.type === 'array' && more.type === 'array') {
      if (less.items.length !== more.items.length) return false;
      for (const [index, item] of less.items.entries()) work.push([more.items[index] as JsonNode, item]);
    } else if (!sameScalar(more, less)) return false;
  }
  return true;
}

/** {@link isSuperset} of two JSON texts; texts that are not JSON must be equal. */
export function isSupersetText(echoed: string, sent: string): boolean {
  if (echoed === sent) return true;
  const more = readJson(Buffer.from(echoed, 'utf8'));
  const less = readJson(Buffer.from(sent, 'utf8'));
  return more !== null && less !== null && isSuperset(more, less);
}

function sameScalar(left: JsonNode, right: JsonNode): boolean {
  if (left.type === 'string') return right.type === 'string' && left.value === right.value;
  if (left.type === 'number') return right.type === 'number' && sameNumber(left.raw, right.raw);
  if (left.type === 'boolean') return right.type === 'boolean' && left.value === right.value;
  return left.type === 'null' && right.type === 'null';
}

function scalarText(node: Exclude<JsonNode, { type: 'array' | 'object' }>): string {
  if (node.type === 'string') return JSON.stringify(node.value);
  if (node.type === 'number') return node.raw;
  return node.type === 'boolean' ? String(node.value) : 'null';
}

// Work is taken from the end, so parts are pushed last first.
function pushArray(work: (JsonNode | string)[], items: readonly JsonNode[]): void {
  work.push(']');
  for (let index = items.length - 1; index >= 0; index--) {
    work.push(items[index] as JsonNode);
    if (index > 0) work.push(',');
  }
  work.push('[');
}

function pushObject(work: (JsonNode | string)[], entries: readonly JsonEntry[]): void {
  const sorted = entries.toSorted((left, right) =>
    left.key < right.key ? -1 : left.key > right.key ? 1 : 0,
  );
  work.push('}');
  for (let index = sorted.length - 1; index >= 0; index--) {
    const entry = sorted[index] as JsonEntry;
    work.push(entry.value, `${JSON.stringify(entry.key)}:`);
    if (index > 0) work.push(',');
  }
  work.push('{');
}

/** Sign, digits without outer zeros and exponent of a JSON number. Exponents beyond a safe integer stay as written. */
function decimalOf(raw: string): string {
  const match = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(raw);
  if (match === null) return raw;
  const fraction = match[3] ?? '';
  const digits = `${match[2]}${fraction}`.replace(/^0+/, '');
  if (digits === '') return '0';
  const significant = digits.replace(/0+$/, '');
  const exponent = Number(match[4] ?? '0') - fraction.length + (digits.length - significant.length);
  return Number.isSafeInteger(exponent) ? `${match[1]}${significant}e${exponent}` : raw;
}
