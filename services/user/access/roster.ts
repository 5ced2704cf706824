import type { Database } from '../database.ts';

/**
 * Lists each person of an organization once: a page costs the same however many memberships there are. An entry is
 * written before a membership and removed after the last one, so nobody with a role is missing, also after a crash. An
 * entry without a role is not shown, and removed when it is met.
 */

/** Call before memberships are created. */
export async function addToRoster(
  db: Database,
  organization_id: string,
  user_ids: readonly string[],
  now: number,
): Promise<void> {
  if (user_ids.length === 0) return;
  await db.organizationPeople.bulkWrite(
    user_ids.map((user_id) => ({
      updateOne: {
        filter: { organization_id, user_id },
        update: { $set: { enrolled_at: new Date(now) } },
        upsert: true,
      },
    })),
    { ordered: false },
  );
}

/** Milliseconds within which a membership follows its entry. */
const WRITE_TIMEOUT = 60_000;

/** Call after a membership has ended. Removes the entry of a person who has none left. */
export async function removeIfWithoutRole(
  db: Database,
  organization_id: string,
  user_id: string,
  now: number,
): Promise<void> {
  const person = { organization_id, user_id };
  const before = await db.organizationPeople.findOne(person);
  // A call that is under way may create a membership in a moment.
  if (!before || before.enrolled_at.getTime() > now - WRITE_TIMEOUT) return;
  if (await db.memberships.findOne(person, { projection: { _id: 1 } })) return;
  await db.organizationPeople.deleteOne({ ...person, enrolled_at: before.enrolled_at });
}

/** People enrolled with one write. */
const BATCH_SIZE = 1_000;

/** Enrolls the members from before there was a registry, once for each organization. */
export async function addFormerMembers(db: Database, organization_id: string, now: number): Promise<void> {
  const memberships = db.memberships.find(
    { department_id: { $in: await departmentsOf(db, organization_id) }, user_id: { $gt: '' } },
    { projection: { user_id: 1 } },
  );
  let batch = new Set<string>();
  for await (const { user_id = '' } of memberships) {
    batch.add(user_id);
    if (batch.size < BATCH_SIZE) continue;
    await addToRoster(db, organization_id, [...batch], now);
    batch = new Set();
  }
  await addToRoster(db, organization_id, [...batch], now);
  await db.organizations.updateOne({ organization_id }, { $set: { people_enrolled: true } });
}

const departmentsOf = (db: Database, organization_id: string): Promise<string[]> =>
  db.departments.distinct('department_id', { organization_id });
