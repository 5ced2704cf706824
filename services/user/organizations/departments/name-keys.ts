import { foldCase } from '../../fold-case.ts';
import { INVISIBLE } from '../names.ts';
import { LOOKALIKES } from './lookalikes.ts';

const ASCII = new Map(
  Object.entries(LOOKALIKES).flatMap(([ascii, others]) =>
    [...others].map((other) => [other, ascii] as const),
  ),
);
/** ASCII characters that many fonts draw alike. */
const ALIKE = new Map([
  ['I', 'l'],
  ['1', 'l'],
  ['|', 'l'],
  ['0', 'O'],
]);

const replaced = (text: string, by: ReadonlyMap<string, string>): string =>
  Array.from(text, (letter) => by.get(letter) ?? letter).join('');

/**
 * Returns the keys of a department's name. Two names with a key in common count as one: names that differ only in
 * case, compatibility forms (NFKC), invisible characters or spaces, in letters of other scripts, in 0 and o, or in
 * ASCII characters that look alike. The last compares case: Mail and Mall stay two names while MaIl is Mall.
 */
export function nameKeys(name: string): string[] {
  const visible = name.normalize('NFKC').replace(INVISIBLE, '').replace(/\s+/gu, ' ').trim();
  const ascii = replaced(visible, ASCII);
  return [...new Set([foldCase(visible), foldCase(ascii.replaceAll('0', 'o')), replaced(ascii, ALIKE)])];
}
