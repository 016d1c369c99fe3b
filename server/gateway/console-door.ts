import type { ConsoleProof } from './console-proof.ts';
import type { Asking, Guard } from './guard.ts';
import type { Refusal } from './refuse.ts';

/** The path of the links that open the console, up to their token. */
export const CONSOLE_LINK_PATH = '/open/';

/**
 * The answer to `GET /open/<token>`: a page that sets the owner's cookie and leads to the console. A link that was used
 * is told so, unless the browser is the owner's already. The page goes on by itself instead of redirecting: a
 * SameSite=Strict cookie is not sent along a redirect that began on another site.
 * @returns null for every other request, and for those of foreign hosts and pages: they are the guard's
 */
export function answerConsoleLink(
  guard: Guard,
  proof: ConsoleProof,
  request: Asking & { readonly method: string; readonly target: string },
): Refusal | null {
  if (request.method !== 'GET' || !request.target.startsWith(CONSOLE_LINK_PATH)) return null;
  if (guard.foreign(request) !== null) return null;
  const cookie = proof.spend(request.target.slice(CONSOLE_LINK_PATH.length), request.rawHeaders);
  if (cookie !== null) return page(200, 'opened', GO_ON, ['set-cookie', cookie]);
  return proof.proves(request.rawHeaders) ? page(200, 'opened', GO_ON) : page(403, 'spent_link', SPENT);
}

const GO_ON = '<meta http-equiv="refresh" content="0; url=/"><p><a href="/">Open the console</a></p>';
const SPENT =
  '<p>This link was used already, or is older than ten minutes.</p>' +
  '<p>Make another one: <code>npx @context-mode/cli open</code></p>';

function page(status: number, reason: string, inside: string, more: readonly string[] = []): Refusal {
  const body = Buffer.from(
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>Context Mode</title>${inside}</html>\n`,
  );
  const headers = [
    ...['content-type', 'text/html; charset=utf-8', 'content-length', String(body.length)],
    ...['cache-control', 'no-store', 'referrer-policy', 'no-referrer', 'x-content-type-options', 'nosniff'],
    ...['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
    ...more,
  ];
  return { status, headers, body, reason };
}
