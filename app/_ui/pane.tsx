'use client';

import { type ReactNode, useEffect, useRef } from 'react';
import { useKeys } from '@/app/_lib/keys.tsx';
import { buttonClass } from './button.tsx';
import { cx } from './cx.ts';
import { Icon } from './icon.tsx';
import { Tooltip } from './tooltip.tsx';

/**
 * A pane at the right of a list that shows one thing of it; where there is no room beside the list it covers it.
 * Esc and its button close it, and the keyboard goes back to where it was.
 */
export function Pane(props: {
  readonly label: string;
  readonly title: ReactNode;
  readonly actions?: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const { label, title, actions, onClose, children } = props;
  const pane = useRef<HTMLElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    pane.current?.focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  useKeys([['Escape', onClose]]);
  return (
    <aside
      ref={pane}
      aria-label={label}
      tabIndex={-1}
      className={cx(
        'flex min-w-0 flex-col border-line bg-ground outline-none',
        'max-xl:absolute max-xl:inset-y-0 max-xl:right-0 max-xl:z-20 max-xl:w-[min(640px,100%)] max-xl:border-l max-xl:shadow-float',
        'xl:w-[46%] xl:max-w-[860px] xl:shrink-0 xl:border-l',
      )}
    >
      <header className="flex h-9 shrink-0 items-center gap-2 border-b border-line pr-2 pl-4">
        <h2 className="min-w-0 truncate font-strong">{title}</h2>
        <div className="ml-auto flex shrink-0 items-center gap-1">
          {actions}
          <Tooltip text="Close (Esc)">
            <button
              type="button"
              aria-label="Close"
              onClick={onClose}
              className={buttonClass({ look: 'quiet', size: 'square' })}
            >
              <Icon name="close" />
            </button>
          </Tooltip>
        </div>
      </header>
      {children}
    </aside>
  );
}

/** Facts about a thing: name and value, two columns. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[112px_1fr] gap-x-3 gap-y-1 px-4 py-3">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-faint">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
