import { expect, test } from 'vitest';
import { byteRange } from '../../../../services/user/organizations/exports/byte-range.ts';

test.each([
  ['bytes=0-0', { start: 0, end: 1 }],
  ['bytes=0-9', { start: 0, end: 10 }],
  ['bytes=3-', { start: 3, end: 10 }],
  ['bytes=3-99', { start: 3, end: 10 }],
  ['bytes=9-', { start: 9, end: 10 }],
  ['bytes=-1', { start: 9, end: 10 }],
  ['bytes=-10', { start: 0, end: 10 }],
  ['bytes=-11', { start: 0, end: 10 }],
  [`bytes=0-${'9'.repeat(400)}`, { start: 0, end: 10 }],
  ['Bytes=2-4', { start: 2, end: 5 }],
  ['bytes=10-', null],
  ['bytes=10-20', null],
  [`bytes=${'9'.repeat(400)}-`, null],
  ['bytes=-0', null],
  [undefined, undefined],
  ['', undefined],
  ['bytes=-', undefined],
  ['bytes=4-3', undefined],
  ['bytes=0-1,3-4', undefined],
  ['bytes=a-b', undefined],
  ['bytes=1.5-2', undefined],
  ['items=0-1', undefined],
  ['bytes = 2 - 4', undefined],
])('reads %j of ten bytes', (header, range) => {
  expect(byteRange(header, 10)).toEqual(range);
});

// Matching optional spaces takes quadratic time.
test('ignores a long malformed header', () => {
  expect(byteRange(`bytes=${' '.repeat(1_000_000)}x`, 10)).toBeUndefined();
});
