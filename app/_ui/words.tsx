import { Fragment, type ReactNode } from 'react';
import { exactRuns, type Run, readableRuns } from '@/app/_lib/invisible.ts';
import { ScrollRegion } from './scroll-region.tsx';

/** Signs that stand on nearly every line: they are faint, so that the others stand out. */
const FAINT = new Set(['◦', '↵', '→\t']);

/** A sign for a character that cannot be seen, with its name on hover. */
export function Sign({ run }: { readonly run: Run }) {
  return (
    <span
      title={run.stands ?? undefined}
      className={
        FAINT.has(run.text) ? 'text-faint' : 'rounded-[2px] bg-warn-soft px-px text-[0.85em] text-warn'
      }
    >
      {run.text}
    </span>
  );
}

/**
 * Text of a conversation. It is only ever text: nothing in it is read as markup, and characters that would mislead the
 * eye are shown as signs. `find` is marked where it stands (ASCII case ignored).
 */
export function Words(props: {
  readonly text: string;
  readonly find?: string;
  readonly now?: boolean;
}): ReactNode {
  const { text, find = '', now = false } = props;
  return readableRuns(text).map((run, at) => {
    const key = `${at}`;
    if (run.stands !== null) return <Sign key={key} run={run} />;
    return <Fragment key={key}>{marked(run.text, find, now)}</Fragment>;
  });
}

function marked(text: string, find: string, now: boolean): ReactNode {
  if (find.trim() === '') return text;
  const pattern = new RegExp(`(${find.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')})`, 'gi');
  return text.split(pattern).map((part, at) => {
    const key = `${at}`;
    if (at % 2 === 0) return <Fragment key={key}>{part}</Fragment>;
    return (
      <mark key={key} data-now={now ? '' : undefined}>
        {part}
      </mark>
    );
  });
}

/**
 * Text in which ranges `[from, to)` (ascending, apart) are marked; like {@link Words} it is only ever text.
 * `signs`: every character that cannot be seen has a sign, not only those that mislead.
 */
export function MarkedText(props: {
  readonly text: string;
  readonly marks: readonly { readonly from: number; readonly to: number; readonly now?: boolean }[];
  readonly signs?: boolean;
}): ReactNode {
  const { text, marks, signs = false } = props;
  const pieces: ReactNode[] = [];
  let at = 0;
  for (const mark of marks) {
    pieces.push(<Plain key={`${at} plain`} text={text.slice(at, mark.from)} signs={signs} />);
    pieces.push(
      <mark key={mark.from} data-now={mark.now === true ? '' : undefined}>
        <Plain text={text.slice(mark.from, mark.to)} signs={signs} />
      </mark>,
    );
    at = mark.to;
  }
  pieces.push(<Plain key="rest" text={text.slice(at)} signs={signs} />);
  return pieces;
}

function Plain({ text, signs }: { readonly text: string; readonly signs: boolean }): ReactNode {
  return (signs ? exactRuns(text) : readableRuns(text)).map((run, at) => {
    const key = `${at}`;
    return run.stands === null ? <Fragment key={key}>{run.text}</Fragment> : <Sign key={key} run={run} />;
  });
}

/** A piece of prose: text, or what stands between two fences. */
interface Piece {
  readonly code: boolean;
  readonly language: string;
  readonly text: string;
}

/** Cuts prose at its code fences. A fence that is not closed runs to the end. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  const lines = text.split('\n');
  let gathered: string[] = [];
  let language: string | null = null;
  const close = () => {
    const joined = gathered.join('\n');
    if (joined.trim() !== '')
      pieces.push({ code: language !== null, language: language ?? '', text: joined });
    gathered = [];
  };
  for (const line of lines) {
    const fence = /^\s{0,3}```(.*)$/.exec(line);
    if (fence === null || (language !== null && (fence[1] ?? '').trim() !== '')) {
      gathered.push(line);
      continue;
    }
    close();
    language = language === null ? (fence[1] ?? '').trim() : null;
  }
  close();
  return pieces;
}

/** What a person or a model wrote, with its code set apart. */
export function Prose(props: { readonly text: string; readonly find: string; readonly now: boolean }) {
  return piecesOf(props.text).map((piece, at) => {
    const key = `${at}`;
    if (!piece.code) {
      return (
        <p key={key} className="wrap-text max-w-[80ch]">
          <Inline text={piece.text.replace(/^\n+|\n+$/g, '')} find={props.find} now={props.now} />
        </p>
      );
    }
    return (
      <Well key={key} label={piece.language === '' ? undefined : piece.language}>
        <Words text={piece.text} find={props.find} now={props.now} />
      </Well>
    );
  });
}

/** Text in which what stands between two backticks on one line is set as code. */
function Inline(props: { readonly text: string; readonly find: string; readonly now: boolean }) {
  return props.text.split(/`([^`\n]+)`/).map((part, at) => {
    const key = `${at}`;
    const words = <Words text={part} find={props.find} now={props.now} />;
    if (at % 2 === 0) return <Fragment key={key}>{words}</Fragment>;
    return (
      <code key={key} className="rounded-sm bg-sunken px-1 py-px text-[0.92em]">
        {words}
      </code>
    );
  });
}

/** A block of text in the typewriter face that scrolls by itself when it is wide or long. */
export function Well({
  label,
  children,
}: {
  readonly label?: string | undefined;
  readonly children: ReactNode;
}) {
  return (
    <figure className="my-1 overflow-hidden rounded-md border border-line bg-sunken">
      {label === undefined ? null : (
        <figcaption className="border-b border-line px-3 py-0.5 text-xs text-faint">{label}</figcaption>
      )}
      <ScrollRegion label={label ?? 'Text'} className="max-h-[420px] overflow-auto">
        <pre className="wrap-text px-3 py-2 leading-[18px]">{children}</pre>
      </ScrollRegion>
    </figure>
  );
}
