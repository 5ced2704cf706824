import { randomUUIDv7 } from 'node:crypto';
import { expecting, jsonBody, oneOf } from '@gatehouse/shared/catalogue';
import { type Database, isDuplicateKey } from '@gatehouse/shared/database';
import { emailKey, isPlainAddress } from '@gatehouse/shared/email';
import { AppError, failures, found } from '@gatehouse/shared/errors';
import type { Mailer } from '@gatehouse/shared/mail';
import { grantableBy, ROLES } from '@gatehouse/shared/rbac';
import { findUserByEmail } from '@gatehouse/shared/users';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { departmentPath, invitationRecord, refusedBody, tagged } from '../contract.ts';
import { roleOf, standingOf } from '../standing.ts';
import { acceptInvitations } from './accept.ts';
import { spendInvitation } from './budget.ts';
import { shownInvitation } from './record.ts';

/** Days for which an invitation stands. */
const VALID_DAYS = 14;

const config = { permission: 'add users' } as const;

const schema = {
  ...tagged,
  summary: 'Invite somebody to a department by e-mail',
  description: `Who has no account yet is a member as soon as he has verified the address; who has one, at once. An invitation stands ${VALID_DAYS} days; inviting again renews it and mails again. Nobody invites to a role above his own.`,
  params: departmentPath,
  body: jsonBody({
    email: z
      .string(expecting('must be an e-mail address'))
      .trim()
      .refine(isPlainAddress, { error: 'must be an e-mail address' }),
    role: oneOf(ROLES),
  }).meta({ examples: [{ email: 'grace@example.com', role: 'Editor' }] }),
  response: { 201: invitationRecord, ...refusedBody, ...failures('catalogue', 'duplicate') },
};

/** POST /api/v1/organizations/{organization_id}/departments/{department_id}/invitations. */
export async function createInvitation(
  root: FastifyInstance,
  {
    config: { PUBLIC_URL },
    db,
    mailer,
    now,
  }: { config: { PUBLIC_URL: string }; db: Database; mailer: Mailer; now: () => number },
): Promise<void> {
  root
    .withTypeProvider<ZodTypeProvider>()
    .post(
      '/api/v1/organizations/:organization_id/departments/:department_id/invitations',
      { schema, config },
      async (request, reply) => {
        const { organization_id, department_id } = request.params;
        const { role, email: address } = request.body;
        const email = emailKey(address);
        const grantable = grantableBy(roleOf(request));
        if (!grantable.includes(role)) throw new AppError('forbidden');
        const { caller } = standingOf(request);
        const organization = found(await db.organizations.findOne({ organization_id }));
        const department = found(await db.departments.findOne({ organization_id, department_id }));
        await spendInvitation(db, caller, now());

        const known = await db.memberships.findOne({ department_id, email });
        if (known?.user_id !== undefined) throw new AppError('duplicate', { text: 'Already a member' });
        let membership_id: string;
        try {
          ({ membership_id } = found(
            await db.memberships.findOneAndUpdate(
              {
                organization_id,
                department_id,
                email,
                user_id: { $exists: false },
                role: { $in: grantable },
              },
              {
                $set: {
                  role,
                  granted_by: caller,
                  granted_at: new Date(now()).toISOString(),
                  expires_at: new Date(now() + VALID_DAYS * 86_400_000),
                },
                $setOnInsert: { membership_id: randomUUIDv7() },
              },
              { upsert: true, returnDocument: 'after' },
            ),
          ));
        } catch (error) {
          if (isDuplicateKey(error)) throw new AppError('forbidden'); // invited to a role above the caller's
          throw error;
        }
        // Written first and then looked: whoever verifies the address meanwhile finds the invitation.
        const account = await findUserByEmail(db.users, email);
        if (account?.verified) await acceptInvitations(db, account, now());
        await mailer.sendInvitation(account?.email ?? address, {
          organization: organization.name,
          department: department.name,
          url: PUBLIC_URL,
          isMember: Boolean(account?.verified),
        });
        request.log.info({ department_id, membership_id, role }, 'invitation sent');
        const invitation = await db.memberships.findOne({ membership_id });
        return reply.code(201).send(shownInvitation(found(invitation)));
      },
    );
}
