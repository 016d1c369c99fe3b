'use client';

import { Fragment } from 'react';
import { Dialog } from '@/app/_ui/dialog.tsx';
import { Kbd } from '@/app/_ui/kbd.tsx';
import { ScrollRegion } from '@/app/_ui/scroll-region.tsx';
import { SCREENS } from './places.ts';

const GROUPS: readonly {
  readonly title: string;
  readonly keys: readonly (readonly [keys: string, does: string])[];
}[] = [
  {
    title: 'Everywhere',
    keys: [
      ['⌘K', 'Go to anything (Ctrl K works too)'],
      ['?', 'This list'],
      ['/', 'Search on this page, or everywhere where it has no search'],
      ['Esc', 'Close the pane at the right; leave a field'],
      ...SCREENS.map((screen) => [`g ${screen.key}`, screen.label] as const),
    ],
  },
  {
    title: 'In a list',
    keys: [
      ['j', 'Next row'],
      ['k', 'Row before'],
      ['Enter', 'Open the row'],
    ],
  },
  {
    title: 'In a transcript',
    keys: [
      ['j', 'Next part'],
      ['k', 'Part before'],
      ['Space', 'Unfold or fold'],
      ['Enter', 'Open the document at the right'],
      ['n', 'Next hit of the search'],
      ['N', 'Hit before'],
      ['Home', 'To the beginning'],
      ['End', 'To the newest'],
      [':', 'Go to a position or a time'],
    ],
  },
  {
    title: 'Among hits',
    keys: [
      ['j', 'Next hit (the arrows work too)'],
      ['k', 'Hit before'],
      ['Enter', 'Open the document at the match'],
      ['t', 'Open its session at that place'],
    ],
  },
  {
    title: 'In a document',
    keys: [
      ['/', 'Find words in it'],
      ['n', 'Next match'],
      ['N', 'Match before'],
      ['[', 'Document before in its session'],
      [']', 'Next document'],
    ],
  },
];

/** The keys, listed. */
export function KeyHelp(props: { readonly open: boolean; readonly onOpenChange: (open: boolean) => void }) {
  return (
    <Dialog {...props} title="Keys">
      <ScrollRegion label="Keys" className="gap-8 overflow-auto p-4 sm:columns-2">
        {GROUPS.map((group) => (
          <section key={group.title} className="mb-5 break-inside-avoid">
            <h3 className="mb-1.5 text-sm text-faint">{group.title}</h3>
            <dl className="grid grid-cols-[64px_1fr] items-center gap-y-1">
              {group.keys.map(([keys, does]) => (
                <Fragment key={keys}>
                  <dt className="flex gap-1">
                    {keys.split(' ').map((key) => (
                      <Kbd key={key}>{key}</Kbd>
                    ))}
                  </dt>
                  <dd>{does}</dd>
                </Fragment>
              ))}
            </dl>
          </section>
        ))}
      </ScrollRegion>
    </Dialog>
  );
}
