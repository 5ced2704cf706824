import { z } from 'zod';
import { AT } from '../../organizations/contract.ts';
import { ACT_NAMES, type Approval } from './records.ts';

const SHOWN = ['pending', 'expired', 'approved', 'carried_out', 'failed', 'rejected', 'void'] as const;
const dateTime = z.string().meta({ format: 'date-time' });

export const approvalRecord = z
  .object({
    approval_id: z.string(),
    act: z.enum(ACT_NAMES),
    person_id: z.string().meta({ description: 'The person whom the act is about' }),
    reason: z.string(),
    requested_by: z.string().meta({ description: 'The user_id of the operator who asked' }),
    requested_at: dateTime,
    expires_at: dateTime.meta({ description: 'Until when it can be approved and used' }),
    status: z.enum(SHOWN).meta({
      description:
        '`approved`: not carried out yet. `void`: the requester was no longer the operator who had asked',
    }),
    decided_by: z.string().nullable(),
    decided_at: dateTime.nullable(),
    decision: z.string().nullable().meta({ description: 'The reason of the operator who decided' }),
    carried_out_at: dateTime.nullable(),
    failure: z.string().nullable().meta({ description: 'Why it could not be carried out' }),
  })
  .meta({
    description: 'The approval',
    examples: [
      {
        approval_id: '01936f31-2c4b-7b1d-8e52-6a0d4f9c7e13',
        act: 'person.delete',
        person_id: 'User-720415',
        reason: 'Asked for by the person, ticket 4711',
        requested_by: 'User-483920',
        requested_at: AT,
        expires_at: '2026-01-16T09:30:00.000Z',
        status: 'pending',
        decided_by: null,
        decided_at: null,
        decision: null,
        carried_out_at: null,
        failure: null,
      },
    ],
  });

/** @param now Unix milliseconds. */
export const presentApproval = (approval: Approval, now: number): z.infer<typeof approvalRecord> => ({
  approval_id: approval.approval_id,
  act: approval.act,
  person_id: approval.person_id,
  reason: approval.reason,
  requested_by: approval.requested_by,
  requested_at: approval.requested_at.toISOString(),
  expires_at: approval.expires_at.toISOString(),
  status: statusOf(approval, now),
  decided_by: approval.decided_by ?? null,
  decided_at: approval.decided_at?.toISOString() ?? null,
  decision: approval.decision ?? null,
  carried_out_at: approval.carried_out_at?.toISOString() ?? null,
  failure: approval.failure ?? null,
});

function statusOf({ status, expires_at, carried_out_at, due_at, failure }: Approval, now: number) {
  if (carried_out_at) return 'carried_out';
  if (failure !== undefined) return 'failed';
  const waits = status === 'pending' || (status === 'approved' && due_at === undefined);
  return waits && expires_at.getTime() <= now ? 'expired' : status;
}
