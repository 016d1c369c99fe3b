'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { characters } from '@/app/_lib/characters.ts';
import { integer } from '@/app/_lib/format.ts';
import { useTRPC, useTRPCClient } from '@/app/_lib/trpc.tsx';
import { Button } from '@/app/_ui/button.tsx';
import { ScrollRegion } from '@/app/_ui/scroll-region.tsx';
import { Words } from '@/app/_ui/words.tsx';
import type { WireDocument } from '@/server/api/index.ts';
import { ToolInput } from './input.tsx';

/** Characters that one step of a long text adds. */
const STEP = 200_000;
/** Kinds that are prose; all others are set in the typewriter face. */
const PROSE = new Set(['input', 'answer', 'reasoning', 'injected', 'compaction', 'system']);

/** A document to read: the call's input field by field, then the text, in steps where it is long. */
export function Readable({ first, find }: { readonly first: WireDocument; readonly find: string }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const pages = useInfiniteQuery({
    queryKey: [...trpc.documents.get.queryKey({ docid: first.docid }), 'steps'],
    queryFn: ({ pageParam }) =>
      client.documents.get.query({ docid: first.docid, offset: pageParam, length: STEP }),
    initialPageParam: characters(first.text),
    getNextPageParam: (page: WireDocument) => {
      const next = page.offset + characters(page.text);
      return next < page.length && page.text !== '' ? next : undefined;
    },
    initialData: { pages: [first], pageParams: [0] },
    staleTime: Number.POSITIVE_INFINITY,
  });
  const texts = pages.data.pages.map((page) => page.text);
  const shown = texts.reduce((sum, text) => sum + characters(text), 0);
  const isProse = PROSE.has(first.kind);
  return (
    <ScrollRegion label="Text of the document" className="min-h-0 flex-1 overflow-auto px-4 py-2">
      <Input document={first} find={find} />
      <div className={isProse ? 'text-lg' : 'font-mono text-sm leading-[18px]'}>
        {texts.map((text, at) => {
          const key = `${at}`;
          return (
            <p key={key} className={isProse ? 'wrap-text max-w-[80ch]' : 'wrap-text'}>
              {text === '' && first.length === 0 ? (
                <span className="text-faint">Empty</span>
              ) : (
                <Words text={text} find={find} />
              )}
            </p>
          );
        })}
      </div>
      {pages.hasNextPage ? (
        <Button
          className="my-3"
          disabled={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
        >
          Show {integer(Math.min(STEP, first.length - shown))} more of {integer(first.length - shown)}{' '}
          characters
        </Button>
      ) : null}
    </ScrollRegion>
  );
}

function Input({ document, find }: { readonly document: WireDocument; readonly find: string }) {
  if (document.input === null) return null;
  return (
    <div className="mb-2">
      <ToolInput json={document.input} find={find} />
      <p className="pt-1 text-xs text-faint">Result</p>
    </div>
  );
}
