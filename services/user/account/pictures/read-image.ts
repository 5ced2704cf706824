import { AppError } from '@gatehouse/shared/http/errors';
import { imageSize } from 'image-size';
import type { Picture } from './records.ts';

/** Bytes of the largest picture. */
export const MAX_BYTES = 100 * 1024;
/** Pixels of its longer side: a few bytes can name an image that fills the memory of whoever looks at it. */
const MAX_SIDE = 1024;

/** How the bytes of each media type begin, in hexadecimal. Nothing else is measured. */
const SIGNATURES: readonly (readonly [Picture['type'], RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/webp', /^52494646.{8}57454250/],
];

const refuse = (problem: string, cause?: unknown) =>
  new AppError('invalidFormat', { text: `picture must be ${problem}`, cause });

/** Reads what kind of image the bytes are. @throws {AppError} invalidFormat unless it is a small PNG, JPEG or WebP. */
export function readImage(base64: string): { bytes: Buffer; type: Picture['type'] } {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length > MAX_BYTES) throw refuse(`at most ${MAX_BYTES / 1024} KiB`);
  const begin = bytes.toString('hex', 0, 12);
  const [type] = SIGNATURES.find(([, signature]) => signature.test(begin)) ?? [];
  if (!type) throw refuse('a PNG, JPEG or WebP image');
  const { width, height } = measure(bytes);
  if (!(width > 0 && height > 0 && Math.max(width, height) <= MAX_SIDE))
    throw refuse(`at most ${MAX_SIDE} by ${MAX_SIDE} pixels`);
  return { bytes, type };
}

function measure(bytes: Buffer) {
  try {
    return imageSize(bytes);
  } catch (cause) {
    throw refuse('a PNG, JPEG or WebP image', cause);
  }
}
