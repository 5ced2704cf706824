import { found } from '@gatehouse/shared/http/errors';
import { audit } from '@gatehouse/shared/identity/audit';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { refuseArchived } from '../../access/archived.ts';
import { membershipOf } from '../../access/membership.ts';
import type { Database } from '../../database.ts';
import { departmentPath, departmentRecord, refusals, tagged } from '../contract.ts';
import { storeEntries } from '../departments/billing-entries.ts';
import { ARCHIVED, NO_MARKS, renewBilling } from './marks.ts';

const config = { permission: 'ownership', whileArchived: true } as const;

const schema = {
  ...tagged,
  summary: 'Restore an archived department',
  description:
    'Undoes the archiving. The plan is `pending` again until the payment service reports its payment. Chatbots that have moved stay where they are. In an archived organization it is 403. Once the deletion has begun, the department is 404. Has no effect on a department that is not archived.',
  params: departmentPath,
  response: { 200: departmentRecord, ...refusals },
};

/** POST /api/v1/organizations/{organization_id}/departments/{department_id}/restore (CONTRACT.md §Archive). */
export const restoreDepartment: FastifyPluginAsyncZod<{ db: Database; now: () => number }> = async (
  app,
  { db, now },
) => {
  app.post(
    '/api/v1/organizations/:organization_id/departments/:department_id/restore',
    { schema, config },
    async (request) => {
      const { organization_id, department_id } = request.params;
      refuseArchived(membershipOf(request).roles.archived.get(organization_id));
      const department = { organization_id, department_id, deleting: { $exists: false } };
      const before = await db.departments.findOneAndUpdate(
        { ...department, ...ARCHIVED },
        [renewBilling(membershipOf(request).caller, now()), { $unset: Object.keys(NO_MARKS) }],
        { returnDocument: 'before' },
      );
      if (!before) return found(await db.departments.findOne(department));
      await storeEntries(db, request, department_id);
      const { archived_at: _, deletes_at = '', move_to: __, ...restored } = before;
      await audit(db, request, now(), {
        action: 'department.restore',
        before: { deletes_at },
        organization_id,
        department_id,
      });
      return restored;
    },
  );
};
