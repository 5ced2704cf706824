import type { ObjectId } from 'mongodb';
import type { Database } from '../../database.ts';

/** Deletes the memberships and invitations of a department that is being deleted: nothing is left that could revive. */
export const deleteMemberships = (db: Database, ids: ObjectId[]) =>
  db.memberships.deleteMany({ _id: { $in: ids } });
