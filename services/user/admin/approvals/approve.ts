import { orNotFound } from '@gatehouse/shared/http/errors';
import { operation } from '../operation.ts';
import { auditAdmin, withReason } from '../reason.ts';
import { approvalRecord, presentApproval } from './contract.ts';
import { decide } from './decide.ts';
import { VALID_HOURS } from './records.ts';

export const approve = operation('POST /api/v1/admin/approvals/{approval_id}/approve', {
  needs: 'admin operator',
  fresh: true,
  summary: 'Approve what another operator has asked for',
  description: `Within ${VALID_HOURS} hours, once, and never by the operator who asked. A deletion is carried out at once, or by a job if that is interrupted: \`status\` is then \`approved\` for a while. A full support session is opened by its requester, who repeats the call. 409 if it has expired or been decided, or if the requester is no longer the operator who asked.`,
  body: withReason({}),
  returns: approvalRecord,
  fails: ['duplicate'],
  audits: ['admin.approve'],
  async handle(call) {
    const {
      db,
      now,
      caller,
      carryOutNow,
      params: { approval_id },
      body: { reason },
      request,
    } = call;
    const { act, user_id, requested_by } = await decide(db, {
      approval_id,
      caller,
      reason,
      status: 'approved',
      now: now(),
    });
    await auditAdmin(call, 'admin.approve', {
      ...(user_id !== null && { target: { user_id } }),
      after: { act, requested_by, approval_id },
    });
    await carryOutNow(approval_id).catch((error: unknown) => {
      request.log.warn({ err: error, approval_id }, 'the job carries out the approved act');
    });
    return presentApproval(orNotFound(await db.approvals.findOne({ approval_id })), now());
  },
});
