import { escapeRegex } from '@gatehouse/shared/operation/lists';
import type { Document, Filter } from 'mongodb';
import { foldCase } from '../fold-case.ts';

/**
 * Substring search by name. A substring is a prefix of one of the name's suffixes, so an index over all suffixes
 * answers a search without reading any other chatbot.
 */

/** The suffixes of a name, case folded, from the whole name to its last character. */
export function suffixesOf(name: string): string[] {
  const characters = [...foldCase(name)];
  return [...new Set(characters.map((_, index) => characters.slice(index).join('')))];
}

/** Matches the chatbots whose name contains a text, ignoring case. */
export const nameContains = (text: string): Filter<Document> => ({
  name_suffixes: { $regex: `^${escapeRegex(foldCase(text))}` },
});
