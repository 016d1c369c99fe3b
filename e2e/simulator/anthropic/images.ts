import { imageSize } from '../image-size.ts';
import { asObject, asObjects, asString, type JsonObject } from '../json.ts';
import { type PlacedBlock, placedBlocks } from './blocks.ts';
import type { ValidityContext } from './context.ts';
import { type AnthropicError, codedError, invalidRequest } from './errors.ts';

/** Largest size of one image in bytes of base64. */
const MAX_IMAGE_BYTES = 10 * 1024 * 1024;

/** Largest width and height of an image, and of each image in a request with many. */
const MAX_SIDE_PIXELS = 8000;
const MAX_SIDE_PIXELS_OF_MANY = 2000;

/** A request with more images than this has many. */
const MANY = 20;

/** Images that one request may hold, by the model's window. */
const MAX_IMAGES = { small: 100, large: 600 } as const;

/** Number, bytes and pixels of images. */
export function imageError(body: JsonObject, { model, rules }: ValidityContext): AnthropicError | undefined {
  const images = asObjects(body.messages).flatMap((message, index) =>
    placedBlocks(message, index).flatMap(imagesIn),
  );
  const most = model.windowTokens > 200_000 ? MAX_IMAGES.large : MAX_IMAGES.small;
  if (images.length > most) {
    return invalidRequest(`messages: too many images in the request: ${images.length} > ${most}`);
  }
  for (const { path, block } of images) {
    const { length } = dataOf(block);
    if (length > MAX_IMAGE_BYTES) {
      return invalidRequest(
        `${path}.image.source.base64: image exceeds 10 MB maximum: ${length} bytes > ${MAX_IMAGE_BYTES} bytes`,
      );
    }
  }
  return pixelError(images, images.length > MANY && rules['anthropic.many-image-limit']);
}

function pixelError(images: readonly PlacedBlock[], isMany: boolean): AnthropicError | undefined {
  const most = isMany ? MAX_SIDE_PIXELS_OF_MANY : MAX_SIDE_PIXELS;
  const large = images.filter(({ block }) => {
    const size = imageSize(dataOf(block));
    return size !== undefined && Math.max(size.width, size.height) > most;
  });
  const first = large[0];
  if (first === undefined) return undefined;
  const where = isMany ? ' for many-image requests' : '';
  return codedError(
    'image_dimensions_too_large',
    `${first.path}.image.source.base64.data: At least one of the image dimensions exceed max allowed size${where}: ${most} pixels`,
    { max_side_length_pixels: most, paths: large.map(({ path }) => path) },
  );
}

function dataOf(block: JsonObject): string {
  const source = asObject(block.source);
  return source?.type === 'base64' ? (asString(source.data) ?? '') : '';
}

/** The images of a block, those inside a tool result included. */
function imagesIn(placed: PlacedBlock): PlacedBlock[] {
  if (placed.block.type === 'image') return [placed];
  if (placed.block.type !== 'tool_result') return [];
  return asObjects(placed.block.content)
    .map((block, at) => ({ path: `${placed.path}.content.${at}`, block }))
    .filter(({ block }) => block.type === 'image');
}
