import { viewOf } from '../../conversation/index.ts';
import type { Protocol, RetrievalAnswer, RetrievedImage } from './types.ts';

/** An answer as JSON text, as what a protocol takes as the content of a tool's result: a text alone, or parts. */
export function resultContent(protocol: Protocol, { text, images }: RetrievalAnswer): string {
  if (images.length === 0) return JSON.stringify(text);
  return JSON.stringify(
    protocol === 'anthropic'
      ? [
          { type: 'text', text },
          ...images.map(({ mime, bytes }) => ({
            type: 'image',
            source: { type: 'base64', media_type: mime, data: base64(bytes) },
          })),
        ]
      : [
          { type: 'input_text', text },
          ...images.map((image) => ({ type: 'input_image', image_url: dataUrl(image) })),
        ],
  );
}

function dataUrl({ mime, bytes }: RetrievedImage): string {
  return `data:${mime};base64,${base64(bytes)}`;
}

function base64(bytes: Uint8Array): string {
  return viewOf(bytes).toString('base64');
}
