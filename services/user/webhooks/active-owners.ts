import { ACTIVE } from '@gatehouse/shared/identity/users';
import type { Database } from '../database.ts';

/** The accounts among `owners` that may act. Webhooks of the others get nothing. */
export async function activeOwners({ users }: Database, owners: Iterable<string>): Promise<Set<string>> {
  const active = users.find({ user_id: { $in: [...new Set(owners)] }, ...ACTIVE });
  const found = await active.project<{ user_id: string }>({ _id: 0, user_id: 1 }).toArray();
  return new Set(found.map(({ user_id }) => user_id));
}
