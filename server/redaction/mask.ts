import { createHmac } from 'node:crypto';
import { findEmails } from './email.ts';
import { findInTurns } from './patterns.ts';
import { findBySecretlint } from './secretlint.ts';
import type { Finding, Masked } from './types.ts';
import { findWrapped } from './wrapped.ts';

const existingMask = /\[masked:[a-z0-9_]{1,40}:[0-9a-f]{12}\]/g;

/**
 * All secrets and e-mail addresses in a text, in order, without overlaps. Where findings overlap, the widest span
 * wins and the earliest detector names it; what lies inside a mask is left alone.
 */
export async function findSecrets(text: string): Promise<readonly Finding[]> {
  if (text.length < 6) return [];
  const found = [
    ...(await findInTurns(text)),
    ...(await findWrapped(text)),
    ...(await findBySecretlint(text)),
    ...findEmails(text),
  ];
  if (found.length === 0) return [];
  return mergeOverlaps(outsideMasks(text, found));
}

/** The findings that touch no mask that stands in the text already. */
function outsideMasks(text: string, found: readonly Finding[]): readonly Finding[] {
  const masks = [...text.matchAll(existingMask)];
  let next = 0;
  return found
    .toSorted((a, b) => a.start - b.start)
    .filter((one) => {
      for (let mask = masks[next]; mask && mask.index + mask[0].length <= one.start; mask = masks[next])
        next++;
      return (masks[next]?.index ?? Infinity) >= one.end;
    });
}

/** Findings sorted by start; those that overlap become one span from the first start to the last end. */
export function mergeOverlaps(findings: readonly Finding[]): readonly Finding[] {
  const sorted = findings
    .map((finding, order) => ({ ...finding, order }))
    .sort((a, b) => a.start - b.start || b.end - a.end || a.order - b.order);
  const merged: { start: number; end: number; type: string; width: number }[] = [];
  for (const { start, end, type } of sorted) {
    const last = merged.at(-1);
    if (last === undefined || start >= last.end) {
      merged.push({ start, end, type, width: end - start });
      continue;
    }
    if (end - start > last.width) {
      last.type = type;
      last.width = end - start;
    }
    last.end = Math.max(last.end, end);
  }
  return merged.map(({ start, end, type }) => ({ start, end, type }));
}

/** The mask of one secret: `[masked:<type>:<12 hex digits>]`, the digits a keyed hash of the secret. */
export function maskOf(secret: string, type: string, accountKey: Uint8Array): string {
  const digits = createHmac('sha256', accountKey)
    .update('mask\0')
    .update(secret, 'utf16le')
    .digest('hex')
    .slice(0, 12);
  return `[masked:${type}:${digits}]`;
}

/** Puts masks in place of findings (sorted, without overlaps). */
export function applyMasks(text: string, findings: readonly Finding[], accountKey: Uint8Array): Masked {
  const counts: Record<string, number> = {};
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end, type } of findings) {
    pieces.push(text.slice(from, start), maskOf(text.slice(start, end), type, accountKey));
    counts[type] = (counts[type] ?? 0) + 1;
    from = end;
  }
  pieces.push(text.slice(from));
  return { text: findings.length === 0 ? text : pieces.join(''), counts };
}

/**
 * Masks secrets and e-mail addresses in a text. One secret has one mask in an account, whatever its place.
 * Deterministic; a text without findings comes back as it was.
 */
export async function maskText(text: string, accountKey: Uint8Array): Promise<Masked> {
  return applyMasks(text, await findSecrets(text), accountKey);
}
