import { collection } from '@gatehouse/shared/data/connect';

/** The user_id of a deleted account, which no other account ever gets. */
export interface DeletedUser {
  _id: string;
  deleted_at: Date;
}

export const deletionCollections = {
  deletedUsers: collection<DeletedUser>('deleted_users', []),
};
