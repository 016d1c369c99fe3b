'use client';

import Link from 'next/link';
import type { ReactNode } from 'react';
import { useKeys } from '@/app/_lib/keys.tsx';
import { buttonClass } from '@/app/_ui/button.tsx';
import { Icon } from '@/app/_ui/icon.tsx';
import { Time } from '@/app/_ui/time.tsx';
import type { WireDocument } from '@/server/api/index.ts';
import { documentAddress } from './document-state.ts';

/** Opens another document in the place of the one that is read. */
export type OpenDocument = (docid: string) => void;

const DONE = { write: 'written anew', edit: 'edited', delete: 'deleted', move: 'moved' } as const;

/** Where what is read is a file that was changed later: that it is old, and the way to what is newer. */
export function Changed({ found, open }: { readonly found: WireDocument; readonly open: OpenDocument }) {
  const { changed, fresh } = found;
  if (changed === undefined) return null;
  return (
    <p className="flex w-full flex-wrap items-baseline gap-x-3 rounded-md bg-warn-soft px-2 py-1 text-warn">
      <span>
        <span className="font-mono [overflow-wrap:anywhere]">{changed.path}</span> was {DONE[changed.kind]}{' '}
        <Time iso={changed.at} />.
      </span>
      <DocumentLink docid={changed.docid} open={open}>
        The change
      </DocumentLink>
      {fresh === undefined ? (
        <span>Nobody has read it since.</span>
      ) : (
        <DocumentLink docid={fresh.docid} open={open}>
          Fresh copy, read <Time iso={fresh.at} />
        </DocumentLink>
      )}
    </p>
  );
}

/** A link that opens a document here, and by itself in another tab. */
export function DocumentLink(props: {
  readonly docid: string;
  readonly open: OpenDocument;
  readonly children: ReactNode;
}) {
  const { docid, open, children } = props;
  return (
    <Link
      href={documentAddress(docid)}
      prefetch={false}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        open(docid);
      }}
      className="text-accent underline"
    >
      {children}
    </Link>
  );
}

/** The way to the documents before and behind this one in its log; `[` and `]` go there too. */
export function Neighbours({ found, open }: { readonly found: WireDocument; readonly open: OpenDocument }) {
  const { previous, next } = found;
  const go = (place: WireDocument['next']) => () => {
    if (place !== null) open(place.docid);
  };
  useKeys([
    ['[', go(previous)],
    [']', go(next)],
  ]);
  const button = (place: WireDocument['next'], label: string, icon: 'up' | 'down') => (
    <button
      type="button"
      aria-label={label}
      title={label}
      disabled={place === null}
      onClick={go(place)}
      className={buttonClass({ look: 'quiet', size: 'tiny' })}
    >
      <Icon name={icon} />
    </button>
  );
  return (
    <span className="flex">
      {button(previous, 'Document before ([)', 'up')}
      {button(next, 'Next document (])', 'down')}
    </span>
  );
}
