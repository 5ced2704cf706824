import { heirAmong } from '../../access/succession.ts';
import { listedOn, membersAmong, moveWrite, revokeRemovedMeanwhile } from '../../chatbots/move-write.ts';
import { BY_PLACE } from '../../chatbots/records.ts';
import type { Database } from '../../database.ts';
import type { Department } from '../../organizations/records.ts';
import { type ArchiveJob, record } from './job.ts';

/** Chatbots moved in one command; smaller than other pages, because each has an access list to read. */
const PAGE = 20;

/**
 * Moves the chatbots of an archived department to the one that its Owner chose, if that still exists. Where the owner
 * of a chatbot is no member there, the Owner who archived the department follows, or else another of the organization.
 * Departments that concurrent calls made each other's target keep their chatbots: two jobs would move them forever.
 */
export async function moveChatbots(job: ArchiveJob, department: Department): Promise<void> {
  const { db, now } = job;
  const { organization_id, department_id, archived_by, move_to } = department;
  if (move_to === undefined) return;
  const place = { organization_id, department_id: move_to };
  const organization = await db.organizations.findOne({ organization_id }, { projection: { owners: 1 } });
  const owners = organization?.owners.map(({ user_id }) => user_id) ?? [];
  const heir = await heirAmong(db, owners, archived_by);
  const isOpen = await db.departments.findOne({ ...place, deleting: { $exists: false } });
  if (!isOpen || heir === undefined || (await isCircular(db, department))) return;
  for (;;) {
    const chatbots = await db.chatbots
      .find(
        { organization_id, department_id },
        { limit: PAGE, projection: { name_suffixes: 0 }, hint: BY_PLACE },
      )
      .toArray();
    if (chatbots.length === 0) return;
    const members = await membersAmong(db, place, chatbots.flatMap(listedOn));
    const at = new Date(now()).toISOString();
    // Directly before the writes: the chatbots of a department that was restored since they were read stay.
    await job.renew();
    const writes = chatbots.map((chatbot) => moveWrite(chatbot, place, { members, heir, at }));
    await record(
      job,
      chatbots.map(({ chatbot_id, owner_id }, index) => ({
        action: 'chatbot.move',
        target: { chatbot_id },
        before: { department_id, owner_id },
        after: { department_id: move_to, owner_id: writes[index]?.update.$set.owner_id ?? owner_id },
        ...place,
      })),
    );
    // A chatbot whose access list has changed comes with the next page.
    await db.chatbots.bulkWrite(
      writes.map(({ filter, update }) => ({ updateOne: { filter, update } })),
      { ordered: false },
    );
    await revokeRemovedMeanwhile(db, place, [...members, heir]);
  }
}

/** Whether the targets of a department and of those that follow lead back to it. */
async function isCircular(db: Database, { department_id, move_to }: Department): Promise<boolean> {
  const seen = new Set<string>();
  for (let next = move_to; next !== undefined && !seen.has(next); ) {
    if (next === department_id) return true;
    seen.add(next);
    next = (await db.departments.findOne({ department_id: next }, { projection: { move_to: 1 } }))?.move_to;
  }
  return false;
}
