import type { ReactNode } from 'react';
import { getServices } from '@/app/_lib/services.ts';
import { VERSION } from '@/server/api/index.ts';
import { Commands } from './_frame/commands.tsx';
import { Rail } from './_frame/rail.tsx';
import { PauseBanner } from './_pause/pause-banner.tsx';

/** The frame of every screen: rail, banner, and the place where a screen stands. */
export default function ConsoleLayout({ children }: { readonly children: ReactNode }) {
  return (
    <Commands>
      <a
        href="#screen"
        className="absolute top-1 left-1 z-50 -translate-y-12 rounded-md bg-accent px-3 py-1 text-on-accent focus:translate-y-0"
      >
        Skip to the screen
      </a>
      <div className="flex h-dvh flex-col">
        {isDemo() ? (
          <p className="flex h-7 shrink-0 items-center justify-center gap-2 bg-warn-soft px-4 text-sm text-warn">
            <strong>Demo</strong>
            <span className="truncate">
              Scripted agents, a simulated provider, a scratch data folder. Your own data is not touched.
            </span>
          </p>
        ) : null}
        <PauseBanner />
        <div className="flex min-h-0 flex-1 max-md:flex-col">
          <Rail version={VERSION} />
          <main id="screen" tabIndex={-1} className="flex min-h-0 min-w-0 flex-1 flex-col outline-none">
            {children}
          </main>
        </div>
      </div>
    </Commands>
  );
}

/** False also while the process is still starting: the screens themselves say what does not answer then. */
function isDemo(): boolean {
  try {
    return getServices().env.demo;
  } catch {
    return false;
  }
}
