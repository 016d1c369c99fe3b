'use client';

import { useQueryStates } from 'nuqs';
import { type KeyboardEvent, useEffect, useMemo, useRef } from 'react';
import { byteSize } from '@/app/_lib/format.ts';
import { isTyping } from '@/app/_lib/keys.tsx';
import { failureOf } from '@/app/_lib/trpc.tsx';
import { ScrollRegion } from '@/app/_ui/scroll-region.tsx';
import { ErrorState } from '@/app/_ui/states.tsx';
import type { WireDocument } from '@/server/api/index.ts';
import { DOCUMENT_STATE } from './document-state.ts';
import { ToolInput } from './input.tsx';
import { TextBar } from './text-bar.tsx';
import { placeOf } from './text-matches.ts';
import { blocksOf, runsOf, WHOLE_BYTES } from './text-pieces.ts';
import { type TextLook, type TextPlace, TextView } from './text-view.tsx';
import type { DocumentText } from './use-document-text.ts';
import { type Find, useFind } from './use-find.ts';

/** Kinds that are prose; all others are set in the typewriter face. */
const PROSE = new Set(['input', 'answer', 'reasoning', 'injected', 'compaction', 'system']);

/** A document to read: the call's input field by field, then the text, with search in it. */
export function Readable(props: {
  readonly found: WireDocument;
  readonly text: DocumentText;
  /** Words to look for where the address names none. */
  readonly words: string;
}) {
  const { found, text } = props;
  const [state, setState] = useQueryStates(DOCUMENT_STATE, { history: 'replace' });
  const find = useFind(text, state.in ?? props.words, state.off);
  const prose = PROSE.has(found.kind);
  const look = useMemo(
    () => ({
      prose,
      wrap: state.wrap ?? true,
      signs: state.signs ?? false,
      lines: state.lines ?? !prose,
    }),
    [prose, state.wrap, state.signs, state.lines],
  );
  const field = useRef<HTMLSpanElement>(null);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys that belong to this text, wherever in it the keyboard is.
    <div className="flex min-h-0 flex-1 flex-col" onKeyDown={(event) => onKey(event, find, field.current)}>
      <TextBar
        find={find}
        onWords={(words) => void setState({ in: words, off: null })}
        look={look}
        onLook={(name, on) => void setState({ [name]: on })}
        field={field}
      />
      <Input document={found} find={find.words} />
      {text.error === null ? null : (
        <ErrorState title="A part of this text could not be read" failure={failureOf(text.error)} />
      )}
      {found.bytes > WHOLE_BYTES ? (
        <p className="shrink-0 border-b border-line bg-surface px-4 py-1 text-sm text-soft">
          {byteSize(found.bytes)}: the beginning and the end are shown. Read on where you need to, find words
          anywhere in it, or download it.
        </p>
      ) : null}
      <Body found={found} text={text} find={find} offset={state.off} look={look} />
    </div>
  );
}

/** Keys of a text: `/` to its search field, `n` and `N` from match to match. */
function onKey(event: KeyboardEvent, find: Find, field: HTMLElement | null): void {
  if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === '/') {
    event.preventDefault();
    field?.querySelector('input')?.focus();
  } else if ((event.key === 'n' || event.key === 'N') && find.matches.length > 0) {
    event.preventDefault();
    find.hop(event.key === 'n' ? 1 : -1);
  }
}

function Body(props: {
  readonly found: WireDocument;
  readonly text: DocumentText;
  readonly find: Find;
  readonly offset: number | null;
  readonly look: TextLook;
}) {
  const { found, text, find, offset, look } = props;
  const { pieces, count, want } = text;
  const blocks = useMemo(() => blocksOf(runsOf(pieces), count), [pieces, count]);
  const place = usePlace(find, offset, pieces);
  const missing = place !== null && !pieces.has(place.piece) ? place.piece : null;
  useEffect(() => {
    if (missing !== null) want(missing);
  }, [missing, want]);
  if (found.length === 0) return <p className="px-4 py-3 text-faint">{emptyWords(found)}</p>;
  return (
    <>
      {missing === null ? null : (
        <p role="status" className="shrink-0 px-4 py-1 text-sm text-faint">
          Loading the part around the match…
        </p>
      )}
      <TextView
        label="Text of the document"
        blocks={blocks}
        matches={find.matches}
        now={find.now}
        place={place}
        look={look}
        onGap={want}
        className="min-h-0 flex-1"
      />
    </>
  );
}

/** Why there is no text to read. */
function emptyWords({ kind, resultSeq, media }: WireDocument): string {
  if (kind === 'tool_call' && resultSeq === null) return 'No result has been archived yet.';
  if (media.length > 0) return 'There is no text beside what is shown above.';
  return kind === 'tool_call' ? 'The result is empty.' : 'There is no text in it.';
}

/** Where the text must be gone to: the match that the reader stands at, else the character that the address names. */
function usePlace(find: Find, offset: number | null, pieces: ReadonlyMap<number, string>): TextPlace | null {
  const match = find.matches[find.now];
  const named = useMemo(() => (offset === null ? null : placeOf(offset, pieces)), [offset, pieces]);
  const { piece, at } = match ?? named ?? { piece: -1, at: 0 };
  return useMemo(() => (piece < 0 ? null : { piece, at }), [piece, at]);
}

function Input({ document, find }: { readonly document: WireDocument; readonly find: string }) {
  if (document.input === null) return null;
  return (
    <>
      <ScrollRegion label="Input of the call" className="max-h-[42%] shrink-0 overflow-auto px-4 py-1">
        <ToolInput json={document.input} find={find} />
      </ScrollRegion>
      <p className="shrink-0 border-y border-line bg-surface px-4 py-0.5 text-xs text-faint">Result</p>
    </>
  );
}
