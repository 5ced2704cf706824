import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import { jsonBody, line, oneOf } from '@gatehouse/shared/http/fields';
import { refuseArchived } from '../access/archived.ts';
import { membershipOf } from '../access/membership.ts';
import type { Roles } from '../access/roles.ts';
import { departmentRecord } from '../organizations/contract.ts';
import { ARCHIVED_DAYS } from '../organizations/records.ts';
import { archive, NOT_ARCHIVED } from './marks.ts';
import { operation } from './operation.ts';

/** CONTRACT.md §Archive. */
export const archiveDepartment = operation(
  'POST /api/v1/organizations/{organization_id}/departments/{department_id}/archive',
  {
    needs: 'ownership',
    supportSession: 'refused',
    whileArchived: true,
    summary: 'Archive a department',
    description: `The department is read-only from now on, its billing has ended and its webhooks are quiet. After ${ARCHIVED_DAYS} days it is deleted for good, with its members, invitations and webhooks; until then it can be restored. Its chatbots are deleted with it, or move at once to another department of the organization, as \`chatbots\` says. Has no effect on a department that is archived already.`,
    body: jsonBody({ chatbots: oneOf(['move', 'delete']), move_to: line(200).exactOptional() })
      .refine(({ chatbots, move_to }) => (chatbots === 'move') === (move_to !== undefined), {
        error: 'must contain move_to if the chatbots move, and only then',
      })
      .meta({
        examples: [
          { chatbots: 'move', move_to: '01936f2f-4d1a-7b2c-8e3f-5a6b7c8d9e0f' },
          { chatbots: 'delete' },
        ],
      }),
    returns: departmentRecord,
    audits: ['department.archive'],
    async handle({ db, now, wakeArchiveJobs, audit, params, body: { chatbots, move_to }, request }) {
      const { organization_id, department_id } = params;
      const { caller, roles } = membershipOf(request);
      refuseArchived(roles.archived.get(organization_id));
      if (move_to !== undefined) requireTarget(roles, params, move_to);
      const marks = archive(caller, now());
      const archived = await db.departments.findOneAndUpdate(
        { organization_id, department_id, ...NOT_ARCHIVED },
        { $set: { ...marks, ...(move_to !== undefined && { move_to, due_at: new Date(now()) }) } },
        { returnDocument: 'after' },
      );
      if (!archived) return orNotFound(await db.departments.findOne({ organization_id, department_id }));
      await audit('department.archive', {
        after: { chatbots, ...(move_to !== undefined && { move_to }), deletes_at: marks.deletes_at },
      });
      if (move_to !== undefined) wakeArchiveJobs();
      return archived;
    },
  },
);

/** @throws {AppError} invalidFormat unless chatbots can move there. */
function requireTarget(
  { departments }: Roles,
  { organization_id, department_id }: { organization_id: string; department_id: string },
  move_to: string,
): void {
  const isTarget = departments.some(
    (each) =>
      each.organization_id === organization_id &&
      each.department_id === move_to &&
      move_to !== department_id &&
      !each.archived,
  );
  if (!isTarget)
    throw new AppError('invalidFormat', {
      text: 'move_to must be another department of the organization that is not archived',
    });
}
