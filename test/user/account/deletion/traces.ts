import { Binary, type Collection, type Document, ObjectId } from 'mongodb';
import { COLLECTIONS, type Database } from '../../../../services/user/database.ts';

/**
 * Looks for texts in every collection of the user service.
 * @param texts by name.
 * @returns where they are, each place once, such as `audit_events.target.user_id: user_id`.
 */
export async function tracesOf(db: Database, texts: Record<string, string>): Promise<string[]> {
  const found = new Set<string>();
  for (const [name, { name: stored }] of Object.entries(COLLECTIONS)) {
    const documents = (db[name as keyof typeof COLLECTIONS] as unknown as Collection<Document>).find();
    for await (const document of documents)
      for (const [path, text] of stringsOf(document, stored))
        for (const [what, sought] of Object.entries(texts))
          if (text.toLowerCase().includes(sought.toLowerCase())) found.add(`${path}: ${what}`);
  }
  return [...found].sort();
}

/** Yields each string with its path, and the names of fields as well. */
function* stringsOf(value: unknown, path: string): Generator<[path: string, text: string]> {
  if (typeof value === 'string') yield [path, value];
  if (value instanceof Binary) yield [path, Buffer.from(value.buffer).toString()];
  if (typeof value !== 'object' || value === null || value instanceof ObjectId || value instanceof Binary)
    return;
  if (Array.isArray(value)) {
    for (const item of value) yield* stringsOf(item, path);
    return;
  }
  for (const [field, item] of Object.entries(value)) {
    yield [`${path} (field)`, field];
    yield* stringsOf(item, `${path}.${field}`);
  }
}
