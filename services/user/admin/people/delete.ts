import { AppError } from '@gatehouse/shared/http/errors';
import { ACTIVE, userIdOf } from '@gatehouse/shared/identity/users';
import { z } from 'zod';
import { soleOwnerships } from '../../access/memberships/sole-ownerships.ts';
import { requestDeletion } from '../../account/deletion/request.ts';
import { operatorOf } from '../../operators/require-operator.ts';
import { approvalRecord } from '../approvals/contract.ts';
import { requireApproval } from '../approvals/require-approval.ts';
import { operation } from '../operation.ts';
import { auditAdmin, withReason } from '../reason.ts';
import {
  beingChanged,
  NOT_BEING_DELETED,
  personToChange,
  refuseOperator,
  targetOf,
} from './change-person.ts';
import { personIdOf } from './find-person.ts';

const dateTime = z.string().meta({ format: 'date-time' });
const deletion = z.object({ requested_at: dateTime, due_at: dateTime }).meta({
  description: 'When the account will be deleted',
  examples: [{ requested_at: '2026-01-15T09:30:00.000Z', due_at: '2026-01-29T09:30:00.000Z' }],
});

export const deletePerson = operation('POST /api/v1/admin/people/{person_id}/delete', {
  needs: 'admin operator',
  fresh: true,
  summary: 'Ask for the deletion of a person',
  description:
    'As if the person had asked: every session ends, any login within the days of ACCOUNT_DELETION_DAYS restores the account, and a mail says so. With ADMIN_APPROVALS, 202 with the approval that another admin must give. A repeated call answers the dates of the first. 403 for an operator, who is removed as one first.',
  body: withReason({}),
  returns: { 200: deletion, 202: approvalRecord },
  fails: ['lastOwner', 'duplicate'],
  audits: ['admin.person_delete', 'admin.approval_request'],
  async handle(call) {
    const { db, request, reply, params, body, wakeNotices } = call;
    const user = await personToChange(db, request, params.person_id);
    await refuseOperator(db, user);
    const user_id = userIdOf(user);
    // The index of MongoDB deletes these.
    if (user_id === null) throw beingChanged('The account has no user_id yet; it expires by itself');
    if (user.deletion) return asDates(user.deletion);
    const organizations = await soleOwnerships(db, user_id, { ...ACTIVE, deletion: { $exists: false } });
    if (organizations.length > 0) throw new AppError('lastOwner', { details: { organizations } });
    const asked = {
      act: 'person.delete',
      person_id: personIdOf(user),
      user_id,
      reason: body.reason,
      operator: operatorOf(request),
    } as const;
    const { pending } = await requireApproval(call, asked);
    if (pending) return reply.code(202).send(pending);
    const requested = await requestDeletion(call, user, { filter: NOT_BEING_DELETED });
    if (!requested) throw beingChanged();
    wakeNotices();
    await auditAdmin(call, 'admin.person_delete', {
      target: targetOf(user),
      after: { due_at: requested.due_at },
    });
    return requested;
  },
});

const asDates = ({ requested_at, due_at }: { requested_at: Date; due_at: Date }) => ({
  requested_at: requested_at.toISOString(),
  due_at: due_at.toISOString(),
});
