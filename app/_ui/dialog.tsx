'use client';

import { Dialog as Base } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import { buttonClass } from './button.tsx';
import { cx } from './cx.ts';
import { Icon } from './icon.tsx';

/** A floating pane above the page that takes the keyboard until it is closed by Esc, its button or a click outside. */
export function Dialog(props: {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly title: string;
  /** True: the title is only read out. */
  readonly bare?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  const { open, onOpenChange, title, bare = false, className, children } = props;
  return (
    <Base.Root open={open} onOpenChange={(next) => onOpenChange(next)}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-[oklch(0_0_0/0.35)]" />
        <Base.Popup
          className={cx(
            'fixed top-[12vh] left-1/2 z-50 flex max-h-[76vh] w-[min(600px,calc(100vw-24px))] -translate-x-1/2 flex-col overflow-hidden rounded-md border border-line-strong bg-raised shadow-float outline-none',
            className,
          )}
        >
          <header
            className={
              bare
                ? 'hide-visually'
                : 'flex h-11 shrink-0 items-center justify-between border-b border-line pr-2 pl-4'
            }
          >
            <Base.Title className="text-lg font-strong">{title}</Base.Title>
            <Base.Close aria-label="Close" className={buttonClass({ look: 'quiet', size: 'square' })}>
              <Icon name="close" />
            </Base.Close>
          </header>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
