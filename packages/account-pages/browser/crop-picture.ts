/** Pixels of a side of the picture that is stored. */
const SIDE = 256;

/**
 * Crops an image of the reader's to the square in its middle, and reduces it. What the file says of place and camera stays
 * behind.
 * @returns the image in Base64. @throws if the browser cannot read the file as an image.
 */
export async function cropPicture(file: Blob): Promise<string> {
  const image = await createImageBitmap(file);
  const side = Math.min(image.width, image.height);
  const canvas = Object.assign(document.createElement('canvas'), { width: SIDE, height: SIDE });
  const context = canvas.getContext('2d');
  if (!context) throw new Error('no canvas');
  const [left, top] = [(image.width - side) / 2, (image.height - side) / 2];
  // JPEG has no transparency.
  context.fillStyle = '#fff';
  context.fillRect(0, 0, SIDE, SIDE);
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, left, top, side, side, 0, 0, SIDE, SIDE);
  image.close();
  return canvas.toDataURL('image/jpeg', 0.85).split(',')[1] ?? '';
}
