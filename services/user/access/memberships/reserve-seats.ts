import type { Database } from '../../database.ts';
import type { Department } from '../../organizations/records.ts';
import { reserveMembers } from '../quotas.ts';
import { addToRoster } from '../roster.ts';

/**
 * Makes room for people who are about to become members of a department; call it before the write that gives them
 * their role.
 * @throws {AppError} forbidden if the department has no room for them under its plan.
 */
export async function reserveSeats(
  db: Database,
  place: Pick<Department, 'organization_id' | 'department_id'>,
  user_ids: readonly string[],
  now: number,
): Promise<void> {
  if (user_ids.length === 0) return;
  await reserveMembers(db, place, user_ids.length);
  await addToRoster(db, place.organization_id, user_ids, now);
}
