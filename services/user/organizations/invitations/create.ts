import { grantableBy, ROLES } from '@gatehouse/shared/access/rbac';
import { AppError } from '@gatehouse/shared/http/errors';
import { expecting, jsonBody, oneOf } from '@gatehouse/shared/http/fields';
import { emailKey, isPlainAddress } from '@gatehouse/shared/identity/email';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { z } from 'zod';
import { membershipOf, roleOf } from '../../access/membership.ts';
import { isMember, VALID_DAYS } from '../../access/memberships/states.ts';
import { storeInvitation } from '../../access/memberships/store-invitation.ts';
import { operation } from '../operation.ts';
import { spendInvitation } from './budget.ts';
import { invitationRecord } from './contract.ts';
import { mailToAddress } from './mail.ts';
import { presentInvitation } from './present-invitation.ts';

export const createInvitation = operation(
  'POST /api/v1/organizations/{organization_id}/departments/{department_id}/invitations',
  {
    needs: 'add users',
    summary: 'Invite a person to a department by e-mail',
    description: `The person becomes a member when they accept. A person without an account accepts by verifying the address at signup. The answer is the same whether the address has an account or not. An invitation expires after ${VALID_DAYS} days; inviting the same address again renews it and sends another e-mail. Callers cannot invite to a role above their own. Invitations to one mailbox, from one caller and from one network are limited. If the mail server does not accept the mail, the answer is 503, but the invitation is stored: \`resend\` mails it again.`,
    body: jsonBody({
      email: z
        .string(expecting('must be an e-mail address'))
        .trim()
        .refine(isPlainAddress, { error: 'must be an e-mail address' }),
      role: oneOf(ROLES),
    }).meta({ examples: [{ email: 'grace@example.com', role: 'Editor' }] }),
    returns: { 201: invitationRecord },
    fails: ['duplicate'],
    audits: ['invitation.create'],
    async handle(call) {
      const { db, now, audit, params, body, request } = call;
      const { organization_id, department_id } = params;
      const { role, email: address } = body;
      const email = emailKey(address);
      const grantable = grantableBy(roleOf(request));
      if (!grantable.includes(role)) throw new AppError('forbidden');
      const { caller } = membershipOf(request);
      await spendInvitation(db, request, { organization_id, inviter: caller, recipient: { email } }, now());

      // Only what the organization knows counts: an account is not looked up before the answer is certain.
      const refuseMember = async () => {
        // Callers who are being removed must not invite themselves back.
        const isOneself = emailKey(principalOf(request).user.email) === email;
        if (isOneself || (await db.memberships.findOne({ department_id, email, ...isMember })))
          throw new AppError('duplicate', { text: 'Already a member' });
      };
      await refuseMember();
      const place = { organization_id, department_id, invitee: { email } };
      const invitation = await storeInvitation(db, place, {
        role,
        grantable,
        granted_by: caller,
        now: now(),
      });
      if (!invitation) {
        await refuseMember(); // accepted concurrently
        throw new AppError('forbidden'); // invited to a role above the caller's
      }
      await audit('invitation.create', {
        target: { email, invitation_id: invitation.membership_id },
        after: { role },
      });
      await mailToAddress(call, invitation, address);
      return presentInvitation(invitation, now());
    },
  },
);
