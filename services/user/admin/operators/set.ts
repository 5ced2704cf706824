import { AppError } from '@gatehouse/shared/http/errors';
import { oneOf } from '@gatehouse/shared/http/fields';
import { OPERATOR_LEVELS } from '@gatehouse/shared/identity/operators';
import { findActiveUser } from '@gatehouse/shared/identity/users';
import { operatorOf } from '../../operators/require-operator.ts';
import { setLevel } from '../../operators/set-level.ts';
import { approvalRecord } from '../approvals/contract.ts';
import { requireApproval } from '../approvals/require-approval.ts';
import { operation } from '../operation.ts';
import { auditAdmin, withReason } from '../reason.ts';
import { noActiveAccount, operatorRecord, presentOperator } from './contract.ts';

export const setOperator = operation('PUT /api/v1/admin/operators/{user_id}', {
  needs: 'admin operator',
  fresh: true,
  summary: 'Make somebody an operator',
  description:
    'Makes an active account an operator, or changes the level of one. Nobody changes their own level, and one admin who can act always remains. With ADMIN_APPROVALS, a new admin answers 202 with the approval that another admin must give.',
  body: withReason({ level: oneOf(OPERATOR_LEVELS) }, { level: 'support' }),
  returns: { 200: operatorRecord, 202: approvalRecord },
  fails: ['notFound', 'lastAdmin', 'unavailable'],
  audits: ['admin.operator_set', 'admin.approval_request'],
  async handle(call) {
    const { db, now, caller, request, reply, params, body } = call;
    const { user_id } = params;
    const { level, reason } = body;
    if (user_id === caller)
      throw new AppError('forbidden', { text: 'Operators cannot change their own level' });
    if (!(await findActiveUser(db.users, user_id))) throw noActiveAccount();
    if (level === 'admin' && !(await db.operators.findOne({ _id: user_id, level }))) {
      const { pending } = await requireApproval(call, {
        act: 'operator.admin',
        person_id: user_id,
        user_id,
        reason,
        operator: operatorOf(request),
      });
      if (pending) return reply.code(202).send(pending);
    }
    const operator = { _id: user_id, level, added_at: new Date(now()), added_by: caller };
    const before = await setLevel(db, operator);
    if (before?.level !== level)
      await auditAdmin(call, 'admin.operator_set', {
        target: { user_id },
        before: before && { level: before.level },
        after: { level },
      });
    return presentOperator(before ? { ...before, level } : operator);
  },
});
