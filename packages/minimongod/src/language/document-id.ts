import { ObjectId } from 'bson';
import { isRegex } from '../bson/types.ts';
import { type Doc, isDoc } from '../bson/value.ts';
import { badValue, CommandError } from '../errors.ts';

/** _id is the first field of a stored document; a missing one is generated. */
export function withIdFirst(doc: Doc): Doc {
  if (Object.keys(doc)[0] === '_id' && doc._id !== undefined) return doc;
  const { _id = new ObjectId(), ...rest } = doc;
  return { _id, ...rest };
}

export function checkId(id: unknown): void {
  if (Array.isArray(id)) throw new CommandError(53, "The '_id' value cannot be of type array");
  if (isRegex(id)) throw new CommandError(53, "The '_id' value cannot be of type regex");
  if (id === undefined) throw badValue("The '_id' value cannot be of type undefined");
  const dollar = isDoc(id) ? Object.keys(id).find((name) => name.startsWith('$')) : undefined;
  if (dollar === undefined) return;
  throw new CommandError(
    52,
    `_id fields may not contain '$'-prefixed fields: ${dollar} is not valid for storage.`,
  );
}
