import type { User } from '@gatehouse/shared/identity/user-record';
import { escapeRegex } from '@gatehouse/shared/operation/lists';
import type { Filter } from 'mongodb';
import { foldCase } from '../../fold-case.ts';

/** Words of one name, and characters of one word, that are indexed. */
const [MAX_WORDS, MAX_LENGTH] = [10, 40];

const wordsIn = (text: string): string[] => [
  ...new Set(
    foldCase(text)
      .split(/[^\p{L}\p{N}\p{M}]+/u)
      .filter((word) => word !== '')
      .map((word) => [...word].slice(0, MAX_LENGTH).join('')),
  ),
];

/**
 * The words of a name, case folded, as its account stores them. Never empty: MongoDB reads an empty array where it looks
 * for a missing one.
 */
export function nameWords(name: unknown): string[] {
  const words = typeof name === 'string' ? wordsIn(name).slice(0, MAX_WORDS) : [];
  return words.length > 0 ? words : [''];
}

/** Matches people of whose name each word of a text begins a word; undefined for a text without words. */
export function nameBegins(text: string): Filter<User> | undefined {
  // The longest one bounds the index best.
  const words = wordsIn(text).toSorted((one, other) => other.length - one.length);
  const parts = words
    .slice(0, MAX_WORDS)
    .map((word): Filter<User> => ({ name_words: { $regex: `^${escapeRegex(word)}` } }));
  return parts.length > 1 ? { $and: parts } : parts[0];
}
