'use client';

import { useQuery } from '@tanstack/react-query';
import { byteSize } from '@/app/_lib/format.ts';
import { useTRPC } from '@/app/_lib/trpc.tsx';
import { Icon } from '@/app/_ui/icon.tsx';
import type { WireDocument, WireLogRow } from '@/server/api/index.ts';

/** Images and files that hang on a row, if there are any. */
export function MediaStrip({ row }: { readonly row: WireLogRow }) {
  if (row.media === 0 || row.docid === null) return null;
  return <Loaded docid={row.docid} />;
}

function Loaded({ docid }: { readonly docid: string }) {
  const trpc = useTRPC();
  const { data } = useQuery(
    trpc.documents.get.queryOptions({ docid, length: 0 }, { staleTime: Number.POSITIVE_INFINITY }),
  );
  return <MediaList media={data?.media ?? []} />;
}

/** Images as they are, other files as links that save them. */
export function MediaList({ media }: { readonly media: WireDocument['media'] }) {
  return (
    <ul className="flex flex-wrap gap-2 py-1 empty:hidden">
      {media.map(({ hash, mime, bytes }) => (
        <li key={hash}>
          {mime.startsWith('image/') && mime !== 'image/svg+xml' ? (
            <a
              href={`/api/v1/blobs/${hash}`}
              download
              title={`Download: ${mime}, ${byteSize(bytes)}`}
              className="block rounded-md border border-line"
            >
              {/* biome-ignore lint/performance/noImgElement: the bytes are shown as they are stored, not scaled by a service. */}
              <img
                src={`/api/v1/blobs/${hash}`}
                alt={`${mime}, ${byteSize(bytes)}`}
                loading="lazy"
                className="h-40 w-auto max-w-full rounded-md bg-sunken object-contain"
              />
            </a>
          ) : (
            <a
              href={`/api/v1/blobs/${hash}`}
              download
              className="flex h-7 items-center gap-2 rounded-md border border-line px-2 text-sm text-soft hover:bg-hover"
            >
              <Icon name="download" />
              {mime} · {byteSize(bytes)}
            </a>
          )}
        </li>
      ))}
    </ul>
  );
}
