import { orNotFound } from '@gatehouse/shared/http/errors';
import { refuseArchived } from '../access/archived.ts';
import { membershipOf } from '../access/membership.ts';
import { departmentRecord } from '../organizations/contract.ts';
import { storeEntries } from '../organizations/departments/billing-entries.ts';
import { ARCHIVED, NO_MARKS, renewBilling } from './marks.ts';
import { operation } from './operation.ts';

/** CONTRACT.md §Archive. */
export const restoreDepartment = operation(
  'POST /api/v1/organizations/{organization_id}/departments/{department_id}/restore',
  {
    needs: 'ownership',
    whileArchived: true,
    summary: 'Restore an archived department',
    description:
      'Undoes the archiving. The plan is `pending` again until the payment service reports its payment. Chatbots that have moved stay where they are. In an archived organization it is 403. Once the deletion has begun, the department is 404. Has no effect on a department that is not archived.',
    returns: departmentRecord,
    audits: ['department.restore'],
    async handle({ db, now, audit, params: { organization_id, department_id }, request }) {
      refuseArchived(membershipOf(request).roles.archived.get(organization_id));
      const department = { organization_id, department_id, deleting: { $exists: false } };
      const before = await db.departments.findOneAndUpdate(
        { ...department, ...ARCHIVED },
        [renewBilling(membershipOf(request).caller, now()), { $unset: Object.keys(NO_MARKS) }],
        { returnDocument: 'before' },
      );
      if (!before) return orNotFound(await db.departments.findOne(department));
      await storeEntries(db, request, department_id);
      const { archived_at: _, deletes_at = '', move_to: __, ...restored } = before;
      await audit('department.restore', { before: { deletes_at } });
      return restored;
    },
  },
);
