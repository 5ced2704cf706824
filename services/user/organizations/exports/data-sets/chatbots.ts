import { can, ROLES } from '@gatehouse/shared/access/rbac';
import type { Filter } from 'mongodb';
import { BY_PLACE, chatbotRecord, type StoredChatbot } from '../../../chatbots/records.ts';
import type { DataSet, ExportScope } from '../data-set.ts';
import { byDepartment, departmentsOf } from './by-department.ts';
import { following } from './following.ts';

const columns = chatbotRecord.keyof().options;
const BLIND = ROLES.filter((role) => !can(role, 'view chatbot'));

/** An entry on the access list of a chatbot comes before the role in its department (CONTRACT.md §Role on a chatbot). */
const isVisible = ({ created_by, sees }: ExportScope): Filter<StoredChatbot> =>
  sees.includes('ownership')
    ? {}
    : {
        $or: [
          { owner_id: created_by },
          { permissions: { $not: { $elemMatch: { user_id: created_by, role: { $in: BLIND } } } } },
        ],
      };

/** The chatbots of departments, without their access lists. */
export const chatbots: DataSet = {
  needs: 'view chatbot',
  uses: ['view chatbot', 'ownership'],
  columns,
  async count(db, scope) {
    const { organization_id } = scope;
    const department_id = { $in: await departmentsOf(db, scope) };
    return db.chatbots.countDocuments({ organization_id, department_id, ...isVisible(scope) });
  },
  read: byDepartment(async (db, scope, after, limit) => {
    const { organization_id, department_id } = scope;
    const behind = following(['created_at', 'chatbot_id'], after);
    const found = await db.chatbots
      .find(
        { $and: [{ organization_id, department_id }, behind, isVisible(scope)] },
        {
          projection: { _id: 0, ...Object.fromEntries(columns.map((column) => [column, 1])) },
          sort: { created_at: 1, chatbot_id: 1 },
          limit,
          hint: BY_PLACE,
        },
      )
      .toArray();
    return found.map((row) => ({
      row,
      after: { created_at: row.created_at, chatbot_id: row.chatbot_id },
    }));
  }),
};
