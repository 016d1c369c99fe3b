import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { cookieIn } from '../kernel/cookie.ts';
import type { LocalKey } from '../kernel/local-key.ts';
import type { RandomBytes } from '../kernel/random.ts';
import { headerOf, headersOf, type RawHeaders } from './headers.ts';

/** How a browser, which can send no key, comes to be the owner's: a link that works once, and the cookie it sets. */
export interface ConsoleProof {
  /** Makes the token of a link. It works once, for {@link LINK_MS}. */
  makeToken(): string;
  /** Spends a token. @returns the `Set-Cookie` value for a request with these headers; null: the token is no good */
  spend(token: string, headers: RawHeaders): string | null;
  /** True where a request carries the cookie, unchanged and not too old. */
  proves(headers: RawHeaders): boolean;
}

/** How long a link works, in milliseconds. */
export const LINK_MS = 600_000;
/** How long a browser stays the owner's, in milliseconds. */
const COOKIE_MS = 7 * 86_400_000;
/** Links that wait to be opened; of more, the oldest stop working. */
const MAX_LINKS = 32;

/** What a {@link ConsoleProof} is made of. */
export interface ConsoleProofOptions {
  /** The cookie is signed with it: another key ends every browser's proof. */
  readonly key: LocalKey;
  readonly clock: Clock;
  readonly random: RandomBytes;
}

/** Makes the proof of a process: links are forgotten with it, cookies hold beyond it. */
export function createConsoleProof({ key, clock, random }: ConsoleProofOptions): ConsoleProof {
  /** When each token ends, on the clock that only grows, by the token's hash. */
  const links = new Map<string, number>();
  const signed = (until: string) => createHmac('sha256', key).update(`console ${until}`).digest('base64url');
  return {
    makeToken() {
      const token = Buffer.from(random(32)).toString('base64url');
      links.set(hash('sha256', token), clock.monotonic() + LINK_MS);
      for (const oldest of links.keys()) {
        if (links.size <= MAX_LINKS) break;
        links.delete(oldest);
      }
      return token;
    },
    spend(token, headers) {
      const name = hash('sha256', token);
      const ends = links.get(name);
      links.delete(name);
      if (ends === undefined || clock.monotonic() >= ends) return null;
      const until = String(clock.now() + COOKIE_MS);
      const value = `${until}.${signed(until)}`;
      return `${cookieName(headers)}=${value}; Max-Age=${COOKIE_MS / 1000}; Path=/; HttpOnly; SameSite=Strict`;
    },
    proves(headers) {
      const [until = '', mac = ''] =
        cookieIn(headersOf(headers, 'cookie').join(';'), cookieName(headers))?.split('.') ?? [];
      return /^\d{1,15}$/.test(until) && Number(until) > clock.now() && sameText(mac, signed(until));
    },
  };
}

/** Compares in constant time, whatever the lengths. */
export function sameText(given: string, expected: string): boolean {
  const [one, other] = [
    Buffer.from(hash('sha256', given), 'hex'),
    Buffer.from(hash('sha256', expected), 'hex'),
  ];
  return timingSafeEqual(one, other);
}

/** Cookies do not know ports: the name holds it, so that two gateways on one machine do not overwrite each other's. */
function cookieName(headers: RawHeaders): string {
  return `context-mode-owner-${/:(\d{1,5})$/.exec(headerOf(headers, 'host') ?? '')?.[1] ?? '80'}`;
}
