import { type NextRequest, NextResponse } from 'next/server';
import { getServices } from './app/_lib/services.ts';
import { CONSOLE_COOKIE, callerOf, refusalOf } from './server/api/guard.ts';

/**
 * Pages alone, named one by one: nothing that an agent sends may pass here, because bodies are cut on the way through.
 */
export const config = {
  matcher: ['/', '/archive/:path*', '/ledger/:path*', '/settings/:path*', '/help/:path*'],
};

/** Gives each page a content policy with a nonce of its own, and the cookie that its changing calls must show. */
export async function proxy(request: NextRequest): Promise<Response> {
  const refused = await getServices().refusal();
  if (refused !== null) return refused;
  const refusal = refusalOf(
    { ...callerOf(request.headers), origin: null, fetchSite: null },
    process.env.PUBLIC_URL || undefined,
  );
  if (refusal !== null) return new NextResponse(refusal, { status: 403 });
  const nonce = token();
  const known = request.cookies.get(CONSOLE_COOKIE)?.value;
  const proof = known !== undefined && /^[\w-]{32,}$/.test(known) ? known : token();
  const policy = policyOf(nonce);
  const headers = new Headers(request.headers);
  headers.set('content-security-policy', policy);
  headers.set('x-nonce', nonce);
  headers.set('x-console-proof', proof);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set('content-security-policy', policy);
  response.headers.set('cache-control', 'private, no-store');
  response.cookies.set(CONSOLE_COOKIE, proof, { httpOnly: true, sameSite: 'strict', path: '/' });
  return response;
}

function policyOf(nonce: string): string {
  const development = process.env.NODE_ENV === 'development';
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'${development ? " 'unsafe-eval'" : ''}`,
    `style-src 'self' ${development ? "'unsafe-inline'" : `'nonce-${nonce}'`}`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** 256 random bits in URL-safe letters. */
function token(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return Buffer.from(bytes).toString('base64url');
}
