import type { Database } from '@gatehouse/shared/database';

/**
 * Takes somebody off the access lists of a department's chatbots. What is left there of who has gone gives him
 * nothing, since only people of the department have roles; this is so that it gives him nothing when he comes
 * again either, and that nobody takes him for an Owner. What he owns stays his for that day.
 */
export async function forgetGrants(
  db: Database,
  department_id: string | { $in: string[] },
  user_id: string,
): Promise<void> {
  await db.chatbots.updateMany(
    { department_id, 'permissions.user_id': user_id },
    { $pull: { permissions: { user_id } }, $inc: { access_version: 1 } },
  );
}
