'use client';

import { Toast as Base } from '@base-ui/react/toast';
import type { ReactNode } from 'react';
import { buttonClass } from './button.tsx';
import { cx } from './cx.ts';
import { Icon } from './icon.tsx';

const manager = Base.createToastManager();

/** A short notice at the edge of the screen; `undo` gives it a button. `ms` 0: it stays until it is closed. */
export interface Notice {
  readonly title: string;
  readonly text?: string;
  readonly tone?: 'plain' | 'bad';
  readonly ms?: number;
  readonly undo?: { readonly label: string; readonly run: () => void };
}

/** Shows a notice; returns what closes it. */
export function notify(notice: Notice): () => void {
  const id = manager.add({
    title: notice.title,
    ...(notice.text === undefined ? {} : { description: notice.text }),
    type: notice.tone ?? 'plain',
    timeout: notice.ms ?? 5000,
    priority: notice.tone === 'bad' ? 'high' : 'low',
    ...(notice.undo === undefined
      ? {}
      : {
          actionProps: {
            children: notice.undo.label,
            onClick: () => {
              manager.close(id);
              notice.undo?.run();
            },
          },
        }),
  });
  return () => manager.close(id);
}

/** Must stand around the app once, so that notices have a place. F6 brings the keyboard to them. */
export function ToastProvider({ children }: { readonly children: ReactNode }) {
  return (
    <Base.Provider toastManager={manager} limit={3}>
      {children}
      <Base.Portal>
        <Base.Viewport className="fixed right-4 bottom-4 z-50 flex w-[min(360px,calc(100vw-32px))] flex-col gap-2 max-md:bottom-16">
          <ToastList />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  );
}

function ToastList() {
  const { toasts } = Base.useToastManager();
  return toasts.map((toast) => (
    <Base.Root
      key={toast.id}
      toast={toast}
      className={cx(
        'rounded-md border bg-raised shadow-float transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0',
        toast.type === 'bad' ? 'border-bad' : 'border-line-strong',
      )}
    >
      <Base.Content className="flex items-center gap-3 py-2 pr-2 pl-3">
        <div className="min-w-0 flex-1">
          <Base.Title className="text-base font-strong" />
          <Base.Description className="text-sm text-soft" />
        </div>
        <Base.Action className={buttonClass({ size: 'small' })} />
        <Base.Close aria-label="Close this notice" className={buttonClass({ look: 'quiet', size: 'tiny' })}>
          <Icon name="close" />
        </Base.Close>
      </Base.Content>
    </Base.Root>
  ));
}
