import { expect, test } from 'vitest';
import { LOOKALIKES } from '../../../services/user/organizations/departments/lookalikes.ts';
import { nameKeys } from '../../../services/user/organizations/departments/name-keys.ts';

const areOne = (first: string, second: string) =>
  nameKeys(first).some((key) => nameKeys(second).includes(key));

test.each(Object.entries(LOOKALIKES))('every character that looks like %s counts as it', (ascii, others) => {
  for (const other of others) expect(areOne(`x${ascii}y`, `x${other}y`), other).toBe(true);
});

test('no character is listed twice, and none is ASCII after NFKC', () => {
  const all = Object.values(LOOKALIKES).flatMap((others) => [...others]);
  expect(new Set(all).size).toBe(all.length);
  for (const each of all) expect(each.normalize('NFKC'), each).not.toMatch(/^[\x21-\x7e]+$/);
});

test.each([
  ['Support', 'Sup\u200bport'],
  ['Support', 'Sup\u00adport'],
  ['Support', 'Support\ufe0f'],
  ['Support', 'ᏚＵРＰОRТ'],
  ['IT', 'it'],
  ['IT', 'lT'],
  ['IT', '1T'],
  ['Mall', 'MaIl'],
  ['Room 0', 'Room O'],
  ['Support', 'Supp0rt'],
  ['Support', 'SUPP0RT'],
  ["Ada's", 'Ada\u2019s'],
  ['می\u200cخواهم', 'میخواهم'],
])('%s and %s are one name', (first, second) => {
  expect(areOne(first, second)).toBe(true);
});

test.each([
  ['Mail', 'Mall'],
  ['MAIL', 'Mall'],
  ['Fill', 'Fiii'],
  ['Ober', 'Oben'],
  ['σοφος', 'οσφος'],
  ['営業', '経理'],
])('%s and %s are two names', (first, second) => {
  expect(areOne(first, second)).toBe(false);
});
