'use client';

import Link from 'next/link';
import type { ReactNode } from 'react';
import { buttonClass } from '@/app/_ui/button.tsx';
import { Icon } from '@/app/_ui/icon.tsx';
import { Kbd } from '@/app/_ui/kbd.tsx';
import { useCommands } from './commands.tsx';

/** A screen: one line on top with where we are, what can be done here, and the way to everything else; below, the rest. */
export function Page(props: {
  readonly title: string;
  /** The screen that this one belongs to. */
  readonly parent?: { readonly href: string; readonly label: string };
  readonly aside?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const { openPalette } = useCommands();
  return (
    <>
      <header className="flex h-11 shrink-0 items-center gap-2 border-b border-line px-4">
        {props.parent === undefined ? null : (
          <>
            <Link href={props.parent.href} className="text-soft hover:text-text hover:underline">
              {props.parent.label}
            </Link>
            <span aria-hidden="true" className="text-faint">
              /
            </span>
          </>
        )}
        <h1 className="truncate text-lg font-strong" title={props.title}>
          {props.title}
        </h1>
        {props.aside}
        <div className="ml-auto flex shrink-0 items-center gap-2">
          {props.actions}
          <button
            type="button"
            onClick={openPalette}
            aria-label="Go to anything"
            className={buttonClass({}, 'pr-1.5 pl-2 text-soft lg:w-44 lg:justify-start')}
          >
            <Icon name="search" />
            <span className="max-lg:hidden">Go to…</span>
            <span className="ml-auto max-lg:hidden">
              <Kbd>⌘K</Kbd>
            </span>
          </button>
        </div>
      </header>
      {props.children}
    </>
  );
}
