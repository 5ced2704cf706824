/** The bytes from `start` up to, but not including, `end`. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * Reads a `Range` header (RFC 9110 §14.2). Headers with several ranges, and malformed ones, are ignored.
 * @returns undefined for the whole file, null for a range outside it.
 */
export function byteRange(header: string | undefined, size: number): ByteRange | null | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const start = Math.max(0, size - Number(last));
    return start < size ? { start, end: size } : null;
  }
  if (last !== '' && Number(last) < Number(first)) return undefined;
  const start = Number(first);
  const end = last === '' ? size : Math.min(size, Number(last) + 1);
  return start < size ? { start, end } : null;
}
