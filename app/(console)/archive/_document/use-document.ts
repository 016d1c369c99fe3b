'use client';

import { useQuery } from '@tanstack/react-query';
import { useTRPC } from '@/app/_lib/trpc.tsx';
import type { WireDocument } from '@/server/api/index.ts';
import { KIND_NAMES } from './kinds.ts';
import { PIECE } from './text-pieces.ts';

/** A document with the beginning of its text. */
export function useDocument(docid: string) {
  const trpc = useTRPC();
  return useQuery(trpc.documents.get.queryOptions({ docid, length: PIECE }));
}

/** What a document is called above its text. */
export function documentTitle(found: WireDocument | undefined): string {
  if (found === undefined) return 'Document';
  const kind = KIND_NAMES[found.kind] ?? 'Document';
  return found.tool === null ? kind : `${kind}: ${found.tool}`;
}
