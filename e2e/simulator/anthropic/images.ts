import { asObject, asObjects, asString, type JsonObject } from '../json.ts';
import { type PlacedBlock, placedBlocks } from './blocks.ts';
import type { ValidityContext } from './context.ts';
import { type AnthropicError, invalidRequest } from './errors.ts';

/** Largest size of one image in bytes of base64. */
const MAX_IMAGE_BYTES = 10 * 1024 * 1024;

/** Largest width and height of an image. */
const MAX_SIDE_PIXELS = 8000;

/** Images that one request may hold, by the model's window. */
const MAX_IMAGES = { small: 100, large: 600 } as const;

/** Number, bytes and pixels of images. The stricter limit of pixels in requests with many images is not known. */
export function imageError(body: JsonObject, { model }: ValidityContext): AnthropicError | undefined {
  const images = asObjects(body.messages).flatMap((message, index) =>
    placedBlocks(message, index).flatMap(imagesIn),
  );
  const most = model.windowTokens > 200_000 ? MAX_IMAGES.large : MAX_IMAGES.small;
  if (images.length > most) {
    return invalidRequest(`messages: too many images in the request: ${images.length} > ${most}`);
  }
  for (const { path, block } of images) {
    const source = asObject(block.source);
    const data = source?.type === 'base64' ? (asString(source.data) ?? '') : '';
    if (data.length > MAX_IMAGE_BYTES) {
      return invalidRequest(
        `${path}.image.source.base64: image exceeds 10 MB maximum: ${data.length} bytes > ${MAX_IMAGE_BYTES} bytes`,
      );
    }
    const size = pngSize(data);
    if (size !== undefined && Math.max(size.width, size.height) > MAX_SIDE_PIXELS) {
      return {
        ...invalidRequest(
          `${path}.image.source.base64.data: At least one of the image dimensions exceed max allowed size: ${MAX_SIDE_PIXELS} pixels`,
        ),
        details: {
          error_code: 'image_dimensions_too_large',
          max_side_length_pixels: MAX_SIDE_PIXELS,
          paths: [path],
        },
      };
    }
  }
  return undefined;
}

/** The images of a block, those inside a tool result included. */
function imagesIn(placed: PlacedBlock): PlacedBlock[] {
  if (placed.block.type === 'image') return [placed];
  if (placed.block.type !== 'tool_result') return [];
  return asObjects(placed.block.content)
    .map((block, at) => ({ path: `${placed.path}.content.${at}`, block }))
    .filter(({ block }) => block.type === 'image');
}

/** Width and height from the head of a PNG; `undefined` for other formats. */
function pngSize(base64: string): { readonly width: number; readonly height: number } | undefined {
  const head = Buffer.from(base64.slice(0, 64), 'base64');
  if (head.length < 24 || head.toString('latin1', 12, 16) !== 'IHDR') return undefined;
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
}
