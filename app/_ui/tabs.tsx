'use client';

import { Tabs as Base } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';

/** A tab: its value in the address and its words. */
export interface Tab<Value extends string> {
  readonly value: Value;
  readonly label: ReactNode;
}

/** A row of tabs over panels. Arrow keys walk; the caller keeps the value (in the address). */
export function Tabs<Value extends string>(props: {
  readonly label: string;
  readonly tabs: readonly Tab<Value>[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  /** Beside the tabs, at the right. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <Base.Root
      value={props.value}
      onValueChange={(next) => props.onChange(next as Value)}
      className="flex min-h-0 flex-1 flex-col"
    >
      <div className="flex h-9 shrink-0 items-center justify-between gap-3 border-b border-line px-4">
        <Base.List aria-label={props.label} className="flex h-full gap-4">
          {props.tabs.map((tab) => (
            <Base.Tab
              key={tab.value}
              value={tab.value}
              className="-mb-px flex h-9 items-center border-b-2 border-transparent text-soft hover:text-text data-active:border-accent data-active:text-text"
            >
              {tab.label}
            </Base.Tab>
          ))}
        </Base.List>
        {props.aside}
      </div>
      {props.children}
    </Base.Root>
  );
}

/** What a tab shows; it is built only while its tab is chosen. */
export function TabPanel({ value, children }: { readonly value: string; readonly children: ReactNode }) {
  return (
    <Base.Panel value={value} tabIndex={-1} className="flex min-h-0 flex-1 flex-col outline-none">
      {children}
    </Base.Panel>
  );
}
