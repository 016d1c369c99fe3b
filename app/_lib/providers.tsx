'use client';

import { CSPProvider } from '@base-ui/react/csp-provider';
import { Tooltip } from '@base-ui/react/tooltip';
import { createContext, type ReactNode, useContext, useState } from 'react';
import { ToastProvider } from '@/app/_ui/toast.tsx';
import { LiveProvider } from './live.tsx';
import { NowProvider } from './now.tsx';
import { THEME_COOKIE, type Theme } from './theme.ts';
import { ApiProvider } from './trpc.tsx';

const ThemeContext = createContext<{ readonly theme: Theme; readonly choose: (theme: Theme) => void }>({
  theme: 'system',
  choose: () => undefined,
});

/** The chosen theme and how to choose another. */
export const useTheme = () => useContext(ThemeContext);

/** Everything that the screens find around them. */
export function Providers(props: {
  readonly nonce: string;
  readonly proof: string;
  readonly theme: Theme;
  readonly children: ReactNode;
}) {
  const [theme, setTheme] = useState(props.theme);
  const choose = (next: Theme) => {
    setTheme(next);
    const root = document.documentElement;
    if (next === 'system') delete root.dataset.theme;
    else root.dataset.theme = next;
    const year = 60 * 60 * 24 * 365;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser that is supported.
    document.cookie = `${THEME_COOKIE}=${next}; path=/; max-age=${next === 'system' ? 0 : year}; samesite=strict`;
  };
  return (
    <CSPProvider nonce={props.nonce}>
      <ApiProvider proof={props.proof}>
        <NowProvider>
          <LiveProvider>
            <ThemeContext value={{ theme, choose }}>
              <Tooltip.Provider>
                <ToastProvider>{props.children}</ToastProvider>
              </Tooltip.Provider>
            </ThemeContext>
          </LiveProvider>
        </NowProvider>
      </ApiProvider>
    </CSPProvider>
  );
}
