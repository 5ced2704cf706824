import { derivedId } from '@gatehouse/shared/derived-id';
import { auditJob } from '@gatehouse/shared/identity/audit';
import { findActiveUser } from '@gatehouse/shared/identity/users';
import type { FastifyBaseLogger } from 'fastify';
import { setLevel } from '../../operators/set-level.ts';
import type { Approval } from '../approvals/records.ts';
import type { AdminDependencies } from '../operation.ts';
import { noActiveAccount } from './contract.ts';

/** Makes an account an admin once another admin has approved it. The event names who asked. */
export const approvedAdmin =
  ({ db, now }: Pick<AdminDependencies, 'db' | 'now'>) =>
  async (approval: Approval, log: FastifyBaseLogger): Promise<void> => {
    const { approval_id, person_id: user_id, reason, requested_by, requested_at } = approval;
    if (!(await findActiveUser(db.users, user_id))) throw noActiveAccount();
    const level = 'admin';
    await setLevel(db, { _id: user_id, level, added_at: new Date(now()), added_by: requested_by });
    const event_id = derivedId(requested_at.getTime(), `admin approved ${approval_id}`);
    await auditJob(db, { id: approval_id, log }, now(), [
      {
        event_id,
        action: 'admin.operator_set',
        user_id: requested_by,
        target: { user_id },
        after: { level, reason, approval_id },
      },
    ]);
  };
