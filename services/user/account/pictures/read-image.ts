import { AppError } from '@gatehouse/shared/http/errors';
import { imageSize } from 'image-size';
import { MEDIA_TYPES, type Picture } from './records.ts';

/** Bytes of the largest picture. */
export const MAX_BYTES = 100 * 1024;
/** Pixels of its longer side: a few bytes can name an image that fills the memory of whoever looks at it. */
const MAX_SIDE = 1024;

const refuse = (problem: string) => new AppError('invalidFormat', { text: `picture must be ${problem}` });

/** Reads what kind of image the bytes are. @throws {AppError} invalidFormat unless it is a small PNG, JPEG or WebP. */
export function readImage(base64: string): { bytes: Buffer; type: Picture['type'] } {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length > MAX_BYTES) throw refuse(`at most ${MAX_BYTES / 1024} KiB`);
  const { type, width, height } = measure(bytes);
  const mediaType = MEDIA_TYPES[type as keyof typeof MEDIA_TYPES];
  if (!mediaType) throw refuse('a PNG, JPEG or WebP image');
  if (!(width > 0 && height > 0 && Math.max(width, height) <= MAX_SIDE))
    throw refuse(`at most ${MAX_SIDE} by ${MAX_SIDE} pixels`);
  return { bytes, type: mediaType };
}

function measure(bytes: Buffer) {
  try {
    return imageSize(bytes);
  } catch (cause) {
    throw new AppError('invalidFormat', { text: 'picture must be a PNG, JPEG or WebP image', cause });
  }
}
