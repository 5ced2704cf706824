import type { Document, Filter } from 'mongodb';
import { escapeRegex } from '../lists.ts';

/**
 * Search by name. A text within a name begins one of the name's endings, so that with all of these in an index
 * a search reads what it finds and nothing else, however many chatbots there are.
 */

/** The endings of a name, from the whole to its last character. */
export function suffixesOf(name: string): string[] {
  const characters = [...folded(name)];
  return [...new Set(characters.map((_, index) => characters.slice(index).join('')))];
}

/** The chatbots whose name holds a text, without regard to case. */
export const named = (text: string): Filter<Document> => ({
  name_suffixes: { $regex: `^${escapeRegex(folded(text))}` },
});

/**
 * Letter by letter, since the small letter of some depends on what follows; ß and ẞ are SS, and a long s an s.
 * Composed again, since some large letters fall apart.
 */
const folded = (text: string): string =>
  Array.from(text.normalize('NFC'), (letter) => letter.toLowerCase().toUpperCase().toLowerCase())
    .join('')
    .normalize('NFC');
