import { derivedId } from '@gatehouse/shared/derived-id';
import { AppError } from '@gatehouse/shared/http/errors';
import { auditJob } from '@gatehouse/shared/identity/audit';
import { ACTIVE, userIdOf } from '@gatehouse/shared/identity/users';
import type { FastifyBaseLogger } from 'fastify';
import { soleOwnerships } from '../../access/memberships/sole-ownerships.ts';
import { requestDeletion } from '../../account/deletion/request.ts';
import type { Approval } from '../approvals/records.ts';
import type { AdminDependencies } from '../operation.ts';
import { beingChanged, NOT_BEING_DELETED, refuseOperator } from './change-person.ts';
import { findPerson } from './find-person.ts';

/** Asks for the deletion of a person once another admin has approved it. The event names who asked. */
export const approvedDeletion =
  (call: Pick<AdminDependencies, 'config' | 'db' | 'now' | 'wakeNotices'>) =>
  async (approval: Approval, log: FastifyBaseLogger): Promise<void> => {
    const { db, now, wakeNotices } = call;
    const { approval_id, person_id, reason, requested_by, requested_at } = approval;
    const user = await findPerson(db, person_id);
    await refuseOperator(db, user);
    const user_id = userIdOf(user);
    if (user_id === null || user.deletion?.begun_at) throw beingChanged();
    if (!user.deletion) {
      const organizations = await soleOwnerships(db, user_id, { ...ACTIVE, deletion: { $exists: false } });
      if (organizations.length > 0) throw new AppError('lastOwner', { details: { organizations } });
      if (!(await requestDeletion(call, user, { filter: NOT_BEING_DELETED }))) throw beingChanged();
      wakeNotices();
    }
    const event_id = derivedId(requested_at.getTime(), `deletion approved ${approval_id}`);
    await auditJob(db, { id: approval_id, log }, now(), [
      {
        event_id,
        action: 'admin.person_delete',
        user_id: requested_by,
        target: { user_id },
        after: { reason, approval_id },
      },
    ]);
  };
