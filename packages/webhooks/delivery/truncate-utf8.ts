/**
 * The beginning of a text, without half a character at its end. NUL and bytes that are not UTF-8, which BSON and JSON
 * cannot hold, become U+FFFD.
 */
export function truncateUtf8(text: Buffer, bytes: number): string {
  if (text.length === 0) return '';
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return decoder.decode(text.subarray(0, bytes), { stream: text.length > bytes }).replaceAll('\0', '\ufffd');
}
