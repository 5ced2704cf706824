import { UNVERIFIED, userIdOf } from '@gatehouse/shared/identity/users';
import { withNewUserId } from '../../account/user-ids.ts';
import { completeActivation } from '../../organizations/invitations/accept-verified.ts';
import { operation } from '../operation.ts';
import { auditAdmin, withReason } from '../reason.ts';
import { personToChange, targetOf, writeChange } from './change-person.ts';
import { personSummary, presentSummary, textOf } from './contract.ts';

export const verifyPerson = operation('POST /api/v1/admin/people/{person_id}/verify', {
  needs: 'admin operator',
  fresh: true,
  summary: 'Verify the address of a person',
  description:
    'Marks the address as verified without a code, as the right code does: the account becomes active, with the password of its latest signup, and accepts the invitations to its address. A disabled account stays disabled, a verified one as it is.',
  body: withReason({}),
  returns: personSummary,
  fails: ['duplicate'],
  audits: ['admin.person_verify', 'invitation.accept'],
  async handle(call) {
    const { db, now, request, params } = call;
    const user = await personToChange(db, request, params.person_id);
    if (user.verified) return presentSummary(user, now());
    const activates = user.account_status !== 'disabled';
    const write = (user_id?: string) =>
      writeChange(call, user, 'verified', {
        filter: {
          account_status: user.account_status,
          // A signup since then would put in a password that nobody has looked at.
          password: user.password,
          otp_attempt: user.otp_attempt ?? { $exists: false },
          ...UNVERIFIED,
        },
        update: {
          $set: {
            verified: true,
            ...(activates && { account_status: 'active', activated_at: new Date(now()) }),
            ...(user_id !== undefined && { user_id }),
          },
          $unset: {
            signup_attempts: true,
            first_attempt: true,
            unverified_since: true,
            otp: true,
            otp_expiration: true,
          },
        },
      });
    const hasUserId = userIdOf(user) !== null;
    const changed = await (hasUserId ? write() : withNewUserId(db, write));
    await auditAdmin(call, 'admin.person_verify', {
      target: targetOf(changed),
      before: { account_status: textOf(user.account_status) },
      after: { account_status: textOf(changed.account_status) },
    });
    await completeActivation(db, changed, now(), request);
    return presentSummary(changed, now());
  },
});
