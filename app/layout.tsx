import type { Metadata, Viewport } from 'next';
import { cookies, headers } from 'next/headers';
import { NuqsAdapter } from 'nuqs/adapters/next/app';
import type { ReactNode } from 'react';
import './globals.css';
import { Providers } from './_lib/providers.tsx';
import { THEME_COOKIE, themeOf } from './_lib/theme.ts';

export const metadata: Metadata = {
  title: { default: 'Context Mode', template: '%s · Context Mode' },
  icons: { icon: '/icon.svg' },
  robots: { index: false, follow: false },
};

export const viewport: Viewport = { width: 'device-width', initialScale: 1, colorScheme: 'light dark' };

/** The page around every screen. It is made anew for each request, because its nonce is. */
export default async function RootLayout({ children }: { readonly children: ReactNode }) {
  const [head, jar] = await Promise.all([headers(), cookies()]);
  const theme = themeOf(jar.get(THEME_COOKIE)?.value);
  return (
    <html lang="en" data-theme={theme === 'system' ? undefined : theme}>
      <body>
        <NuqsAdapter>
          <Providers
            nonce={head.get('x-nonce') ?? ''}
            proof={head.get('x-console-proof') ?? ''}
            theme={theme}
          >
            {children}
          </Providers>
        </NuqsAdapter>
      </body>
    </html>
  );
}
