import type { Document } from '../../archive/index.ts';
import { notShown } from './texts.ts';
import type { RetrievedImage } from './types.ts';

/** Kinds of images that both providers take. */
const TAKEN: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
/** Bytes of an image at most: 5 MB in base64, the lowest bound that a provider documents. */
const MOST_BYTES = (5 * 1024 * 1024 * 3) / 4;
/** Tokens that an image is counted as: about what the largest costs that providers do not make smaller. */
export const IMAGE_TOKENS = 1_600;
/** Images of one document at most. */
const IMAGES = 4;

/**
 * The images that hang on a document, as many as there is room for, and a line for each file that is not shown.
 * @param tokens room for them, estimated
 */
export async function imagesOf(
  media: Document['media'],
  tokens: number,
  read: (hash: string) => Promise<RetrievedImage | null>,
): Promise<{ readonly images: readonly RetrievedImage[]; readonly notes: readonly string[] }> {
  const images: RetrievedImage[] = [];
  const notes: string[] = [];
  for (const { hash, mime, bytes } of media) {
    const why = whyNot(mime, bytes, images.length, tokens);
    const image = why === null ? await read(hash) : null;
    if (image === null) notes.push(notShown(mime, bytes, why ?? 'it is not kept any more'));
    else images.push(image);
  }
  return { images, notes };
}

function whyNot(mime: string, bytes: number, shown: number, tokens: number): string | null {
  if (!TAKEN.has(mime)) return 'only images can be';
  if (bytes > MOST_BYTES) return 'it is too large';
  if (shown >= IMAGES) return 'there are too many';
  return (shown + 1) * IMAGE_TOKENS > tokens ? 'there is no room left for it' : null;
}
