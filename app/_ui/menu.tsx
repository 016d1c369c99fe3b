'use client';

import { Menu as Base } from '@base-ui/react/menu';
import type { ReactElement, ReactNode } from 'react';
import { cx } from './cx.ts';

const ITEM =
  'flex h-7 cursor-default items-center gap-2 rounded-sm px-2 text-base outline-none select-none data-highlighted:bg-hover';

/** A menu under a button. */
export function Menu({
  trigger,
  children,
}: {
  readonly trigger: ReactElement;
  readonly children: ReactNode;
}) {
  return (
    <Base.Root modal={false}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="end" className="z-50 outline-none">
          <Base.Popup className="min-w-44 rounded-md border border-line-strong bg-raised p-1 shadow-float outline-none">
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

/** One act in a menu. */
export function MenuItem(props: {
  readonly onClick: () => void;
  readonly danger?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <Base.Item onClick={props.onClick} className={cx(ITEM, props.danger === true && 'text-bad')}>
      {props.children}
    </Base.Item>
  );
}

/** An address in a menu; `download` makes the browser save it. */
export function MenuLink(props: {
  readonly href: string;
  readonly download?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <Base.LinkItem href={props.href} download={props.download} className={ITEM}>
      {props.children}
    </Base.LinkItem>
  );
}
