import { expect, test } from 'vitest';
import { csvLine } from '../../services/user/csv.ts';

test.each([
  ['plain', 'plain'],
  ['', ''],
  [null, ''],
  [undefined, ''],
  [7, '7'],
  [-7, '-7'],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\r\nlines', '"two\r\nlines"'],
  ['Zürich 🤖', 'Zürich 🤖'],
  [{ role: 'Editor' }, '"{""role"":""Editor""}"'],
  [[], '[]'],
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t'=1"],
  [' =1', "' =1"],
  ['\r=1', `"'\r'=1"`],
  ['＝1', "'＝1"],
  ['a;=1', "a;'=1"],
  ['a; +1;-1', "a; '+1;'-1"],
  ['a;"=1"', `"a;""'=1"""`],
  ['a\t@b', "a\t'@b"],
  ['a\n=1', `"a\n'=1"`],
  ['a;b = c - d', 'a;b = c - d'],
  ['=HYPERLINK("http://evil.example","x")', '"\'=HYPERLINK(""http://evil.example"",""x"")"'],
])('writes the cell %j as %j', (value, cell) => {
  expect(csvLine([value])).toBe(`${cell}\r\n`);
});

test('separates cells by commas and ends with CRLF', () => {
  expect(csvLine(['a', null, 'b'])).toBe('a,,b\r\n');
});
