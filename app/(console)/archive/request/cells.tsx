'use client';

import type { ReactNode } from 'react';
import { byteSize, integer } from '@/app/_lib/format.ts';
import { Badge, type Tone } from '@/app/_ui/badge.tsx';
import { cx } from '@/app/_ui/cx.ts';
import { Icon } from '@/app/_ui/icon.tsx';
import { Words } from '@/app/_ui/words.tsx';
import type { WireViewMessage, WireViewPart } from '@/server/api/index.ts';
import type { Side } from './lines.ts';
import { CHANGED, OURS } from './words.ts';

type Stretch = Extract<WireViewPart, { from: number }>;

/** A line with a cell for each side; on a narrow screen the right one stands below, where it says anything of its own. */
function Both(props: {
  readonly left: ReactNode;
  readonly right: ReactNode;
  /** The right cell repeats the left one: one of them is enough on a narrow screen. */
  readonly same?: boolean;
  readonly quiet?: boolean;
}) {
  const { left, right, same = false, quiet = false } = props;
  return (
    <div className={cx('grid grid-cols-1 border-b border-line md:grid-cols-2', quiet && 'bg-surface')}>
      <div className={cx('min-w-0 px-4 py-1', left === null && 'max-md:hidden')}>{left}</div>
      <div className={cx('min-w-0 border-line px-4 py-1 md:border-l', same && 'max-md:hidden')}>{right}</div>
    </div>
  );
}

/** What stands before every message. */
export function FrameLine() {
  return (
    <Both
      left={<span className="text-soft">System prompt, tools and parameters</span>}
      right={<span className="text-faint">as sent</span>}
    />
  );
}

/** A stretch or a piece of ours, as one line that unfolds. */
export function PartLine(props: {
  readonly part: WireViewPart;
  readonly open: boolean;
  readonly onToggle: () => void;
}) {
  const { part, open, onToggle } = props;
  if (part.is === 'missing') {
    return (
      <Both
        quiet
        left={<span className="text-faint">Messages that the archive does not hold (any more)</span>}
        right={<Badge>{part.was === 'left_out' ? 'left out' : part.was}</Badge>}
      />
    );
  }
  if (part.is === 'ours') {
    const [name, why] = OURS[part.what] ?? [part.what, ''];
    return (
      <Both
        left={null}
        right={
          <Fold open={open} onToggle={onToggle}>
            <Mark tone="accent">put in</Mark>
            <span className="shrink-0 font-strong">{name}</span>
            <span className="shrink-0 text-faint">{byteSize(part.bytes)}</span>
            <Why text={why} />
          </Fold>
        }
      />
    );
  }
  return <StretchLine part={part} open={open} onToggle={onToggle} />;
}

function StretchLine(props: {
  readonly part: Stretch;
  readonly open: boolean;
  readonly onToggle: () => void;
}) {
  const { part } = props;
  const count = part.to - part.from;
  const left = (
    <Fold open={props.open} onToggle={props.onToggle}>
      <span className="shrink-0">
        {count === 1 ? `Message ${integer(part.from + 1)}` : `${integer(count)} messages`}
      </span>
      {count === 1 ? null : (
        <span className="shrink-0 text-faint max-sm:hidden">
          {integer(part.from + 1)}–{integer(part.to)}
        </span>
      )}
      <span className="shrink-0 text-faint">{byteSize(part.bytes)}</span>
      <span className="md:hidden">
        {part.is === 'kept' ? <span className="text-faint">as sent</span> : null}
      </span>
    </Fold>
  );
  if (part.is === 'kept')
    return <Both same left={left} right={<span className="text-faint">as sent</span>} />;
  const [mark, why] =
    part.is === 'left_out'
      ? ['left out', 'the index stands in its place']
      : (CHANGED[part.what] ?? [part.what, '']);
  return (
    <Both
      quiet={part.is === 'left_out'}
      left={left}
      right={
        <span className="flex min-w-0 items-center gap-2">
          <Mark tone={part.is === 'left_out' ? 'plain' : 'warn'}>{mark}</Mark>
          <Why text={why} />
        </span>
      }
    />
  );
}

function Mark({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return <Badge tone={tone}>{children}</Badge>;
}

function Why({ text }: { readonly text: string }) {
  return (
    <span title={text} className="min-w-0 truncate text-soft">
      {text}
    </span>
  );
}

function Fold(props: {
  readonly open: boolean;
  readonly onToggle: () => void;
  readonly children: ReactNode;
}) {
  return (
    <button
      type="button"
      data-row=""
      aria-expanded={props.open}
      onClick={props.onToggle}
      className="-mx-1 flex w-full min-w-0 items-center gap-2 rounded-sm px-1 text-left hover:bg-hover"
    >
      <Icon
        name="chevron"
        className={cx('size-3 shrink-0 transition-transform duration-100', props.open && 'rotate-90')}
      />
      {props.children}
    </button>
  );
}

const KINDS: Readonly<Record<string, string>> = {
  input: 'Typed',
  answer: 'Answer',
  reasoning: 'Reasoning',
  tool_call: 'Call',
  tool_result: 'Result',
  injected: 'Added',
  system: 'System',
  image: 'Image',
  file: 'File',
  compaction: 'Summary',
  unknown: 'Unknown',
};

/** A message that stands on both sides, or with its client alone. Its parts open as documents. */
export function MessageLine(props: {
  readonly message: WireViewMessage | undefined;
  readonly place: number;
  readonly side: Side;
  readonly onDocument: (docid: string) => void;
}) {
  const { message, place, side, onDocument } = props;
  const content =
    message === undefined ? (
      <span className="text-faint">{integer(place + 1)}</span>
    ) : (
      <ul>
        {message.items.map((item) => (
          <li key={item.docid}>
            <button
              type="button"
              data-row=""
              onClick={() => onDocument(item.docid)}
              className="-mx-1 flex w-full min-w-0 items-baseline gap-2 rounded-sm px-1 text-left hover:bg-hover"
            >
              <span className="w-[68px] shrink-0 text-sm text-faint">{KINDS[item.kind] ?? item.kind}</span>
              <span className={cx('min-w-0 truncate', item.kind === 'input' && 'font-strong')}>
                {item.tool === null ? null : <span className="font-mono text-xs">{item.tool} </span>}
                <Words text={glimpseOf(item)} />
              </span>
              {item.isError ? <Badge tone="bad">failed</Badge> : null}
            </button>
          </li>
        ))}
        {message.items.length === 0 ? <li className="text-faint">No part of it is kept.</li> : null}
      </ul>
    );
  return (
    <Both
      same={side === 'both'}
      quiet={side === 'client'}
      left={<div className="pl-4">{content}</div>}
      right={
        side === 'both' ? (
          <div className="pl-4 text-faint">{message === undefined ? '' : 'the same'}</div>
        ) : null
      }
    />
  );
}

/** What a reader wants to see of an item on one line. */
function glimpseOf(item: WireViewMessage['items'][number]): string {
  const text = item.mainInput ?? item.text;
  const line = text.replace(/\s+/g, ' ').trim().slice(0, 240);
  if (line !== '') return line;
  if (item.media > 0) return 'an image or a file';
  return item.kind === 'reasoning' ? 'kept by the provider, not readable' : 'no text of its own';
}
