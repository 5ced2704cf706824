import { operation } from '../operation.ts';
import { auditAdmin, withReason } from '../reason.ts';
import { approvalRecord, presentApproval } from './contract.ts';
import { decide } from './decide.ts';

export const reject = operation('POST /api/v1/admin/approvals/{approval_id}/reject', {
  needs: 'admin operator',
  fresh: true,
  summary: 'Reject what an operator has asked for',
  description:
    'Also withdraws what the caller has asked for. 409 if it has expired or been decided. Nothing is carried out.',
  body: withReason({}),
  returns: approvalRecord,
  fails: ['duplicate'],
  audits: ['admin.reject'],
  async handle(call) {
    const {
      db,
      now,
      caller,
      params: { approval_id },
      body: { reason },
    } = call;
    const rejected = await decide(db, { approval_id, caller, reason, status: 'rejected', now: now() });
    const { act, user_id, requested_by } = rejected;
    await auditAdmin(call, 'admin.reject', {
      ...(user_id !== null && { target: { user_id } }),
      after: { act, requested_by, approval_id },
    });
    return presentApproval(rejected, now());
  },
});
