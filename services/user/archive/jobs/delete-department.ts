import { tenantOf } from '@gatehouse/shared/access/tenant';
import { deleteMemberships } from '../../access/memberships/delete-memberships.ts';
import { BY_MEMBERSHIP, type Membership } from '../../access/records.ts';
import { auditedChatbot, BY_PLACE } from '../../chatbots/records.ts';
import { invitationTarget } from '../../organizations/invitations/present-invitation.ts';
import type { Department } from '../../organizations/records.ts';
import { deleteExports } from './delete-exports.ts';
import { deleteWebhooks } from './delete-webhooks.ts';
import { type ArchiveJob, deleteInPages, record } from './job.ts';
import { moveChatbots } from './move-chatbots.ts';

/**
 * Deletes a department for good. Its own document goes last: an interrupted run is repeated, and
 * finds the rest.
 */
export async function deleteDepartment(run: ArchiveJob, department: Department): Promise<void> {
  const { organization_id, department_id, name, archived_at } = department;
  // The same events whether the department is deleted on its own or with its organization.
  const began = archived_at === undefined ? run.began : Date.parse(archived_at);
  const job = { ...run, id: department_id, began };
  const { db } = job;
  const place = { organization_id, department_id };
  // The chatbots that a concurrent call created during archiving.
  await moveChatbots(job, department);
  await deleteInPages(job, db.chatbots, place, BY_PLACE, (chatbot) => ({
    action: 'chatbot.delete',
    target: { chatbot_id: chatbot.chatbot_id },
    before: auditedChatbot(chatbot),
    ...tenantOf(chatbot),
  }));
  await deleteInPages(job, db.memberships, { department_id }, BY_MEMBERSHIP, ended, (ids) =>
    deleteMemberships(db, ids),
  );
  await deleteInPages(job, db.billingEntries, { department_id }, { department_id: 1, number: 1 });
  await deleteWebhooks(job, place);
  await deleteExports(job, place);
  await db.ssoConnections.updateMany(
    { organization_id, default_department_id: department_id },
    { $set: { default_department_id: null } },
  );
  const connections = await db.ssoConnections.distinct('connection_id', { organization_id });
  await db.scimGroups.deleteMany({ connection_id: { $in: connections }, department_id });
  await record(job, [{ action: 'department.delete', target: {}, before: { name }, ...place }]);
  await db.departments.deleteOne(place);
}

/** The event of a membership or an invitation that ends. */
function ended(membership: Membership) {
  const { organization_id, department_id, user_id, role } = membership;
  const place = { organization_id, department_id };
  if (user_id !== undefined)
    return { action: 'member.remove' as const, target: { user_id }, before: { role }, ...place };
  const target = invitationTarget(membership);
  return { action: 'invitation.withdraw' as const, target, before: { role }, ...place };
}
