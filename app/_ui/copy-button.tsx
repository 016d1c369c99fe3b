'use client';

import { useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { notify } from './toast.tsx';
import { Tooltip } from './tooltip.tsx';

/** Puts `text` (or what it makes) on the clipboard and says so. `what` names the thing in the button's label. */
export function CopyButton({
  text,
  what,
}: {
  readonly text: string | (() => string);
  readonly what: string;
}) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1600);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : text());
      setCopied(true);
    } catch {
      notify({
        title: 'Could not copy',
        text: 'The browser refused the clipboard. Select the text and copy it.',
        tone: 'bad',
      });
    }
  };
  return (
    <>
      <Tooltip text={copied ? 'Copied' : `Copy ${what}`}>
        <Button look="quiet" size="tiny" onClick={copy} aria-label={`Copy ${what}`}>
          <Icon name={copied ? 'check' : 'copy'} className={copied ? 'shrink-0 text-good' : 'shrink-0'} />
        </Button>
      </Tooltip>
      <span role="status" className="hide-visually">
        {copied ? `Copied ${what}` : ''}
      </span>
    </>
  );
}

/** A command to run, in one line that can be copied. */
export function CommandLine({
  command,
  what = 'the command',
}: {
  readonly command: string;
  readonly what?: string;
}) {
  return (
    <div className="flex min-h-8 items-center gap-2 rounded-md border border-line bg-sunken pr-1 pl-3">
      <code className="min-w-0 flex-1 py-1.5 break-all">{command}</code>
      <CopyButton text={command} what={what} />
    </div>
  );
}
