'use client';

import { type ReactNode, useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';

/** A screen or pane that has nothing to show: what would stand here, and what makes it. */
export function EmptyState({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="max-w-[560px] px-4 py-8">
      <p className="text-lg font-strong">{title}</p>
      <div className="mt-1 space-y-3 text-soft">{children}</div>
    </div>
  );
}

/** What is known of a failure. */
export interface Failure {
  readonly message: string;
  readonly hint: string;
  readonly requestId: string;
}

/** What went wrong, to what, and what to do; the request id can be copied. */
export function ErrorState(props: {
  readonly title: string;
  readonly failure: Failure;
  readonly retry?: () => void;
}) {
  const { title, failure, retry } = props;
  return (
    <div role="alert" className="max-w-[560px] px-4 py-8">
      <p className="text-lg font-strong text-bad">{title}</p>
      <p className="wrap-text mt-1 text-text">{failure.message}</p>
      <p className="mt-1 text-soft">{failure.hint}</p>
      <div className="mt-3 flex items-center gap-3">
        {retry === undefined ? null : <Button onClick={retry}>Try again</Button>}
        {failure.requestId === '' ? null : (
          <span className="flex items-center gap-1 font-mono text-xs text-faint">
            {failure.requestId}
            <CopyButton text={failure.requestId} what="the request id" />
          </span>
        )}
      </div>
    </div>
  );
}

/** Says "Loading" only where it takes longer than a blink, so that quick answers do not flash. */
export function Loading({ what }: { readonly what: string }) {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), 250);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p role="status" className="px-4 py-8 text-faint">
      {slow ? `Loading ${what}…` : ''}
    </p>
  );
}
