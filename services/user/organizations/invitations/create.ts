import { randomUUIDv7 } from 'node:crypto';
import { grantableBy, ROLES } from '@gatehouse/shared/access/rbac';
import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { AppError, failures, found } from '@gatehouse/shared/http/errors';
import { expecting, jsonBody, oneOf } from '@gatehouse/shared/http/fields';
import { emailKey, isPlainAddress } from '@gatehouse/shared/identity/email';
import { findUserByEmail, isActive, userIdOf } from '@gatehouse/shared/identity/users';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { membershipOf, roleOf } from '../../access/membership.ts';
import type { Database } from '../../database.ts';
import type { Mailer } from '../../mail.ts';
import { departmentPath, invitationRecord, OWNER_ALREADY, refusedBody, tagged } from '../contract.ts';
import { isMember } from '../members/present-member.ts';
import type { Organization } from '../records.ts';
import { acceptInvitations } from './accept.ts';
import { spendInvitation } from './budget.ts';
import { presentInvitation } from './present-invitation.ts';

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
export const createInvitation: FastifyPluginAsyncZod<{
  config: { PUBLIC_URL: string };
  db: Database;
  mailer: Mailer;
  now: () => number;
}> = async (app, { config: { PUBLIC_URL }, db, mailer, now }) => {
  app.post(
    '/api/v1/organizations/:organization_id/departments/:department_id/invitations',
    { schema, config },
    async (request, reply) => {
      const { organization_id, department_id } = request.params;
      const { role, email: address } = request.body;
      const email = emailKey(address);
      const grantable = grantableBy(roleOf(request));
      if (!grantable.includes(role)) throw new AppError('forbidden');
      const { caller } = membershipOf(request);
      const organization = found(await db.organizations.findOne({ organization_id }));
      const department = found(await db.departments.findOne({ organization_id, department_id }));
      await spendInvitation(db, caller, now());

      await refuseMember(db, organization, department_id, email, caller);
      const write = (upsert: boolean) =>
        db.memberships.findOneAndUpdate(
          {
            organization_id,
            department_id,
            email,
            user_id: { $exists: false },
            $or: [{ role: { $in: grantable } }, { expires_at: { $lte: new Date(now()) } }],
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
          { upsert, returnDocument: 'after' },
        );
      // Where somebody else has just invited him, that invitation is renewed.
      const written = await write(true).catch((error) => {
        if (isDuplicateKey(error)) return write(false);
        throw error;
      });
      if (!written) {
        await refuseMember(db, organization, department_id, email, caller); // he has just become one
        throw new AppError('forbidden'); // invited to a role above the caller's
      }
      const { membership_id } = written;

      // Written first and then looked: whoever verifies the address meanwhile finds the invitation.
      const account = await findUserByEmail(db.users, email);
      const joins = account && isActive(account) && userIdOf(account) !== null ? account : null;
      // Mailed before he joins: where that fails the call can be made again.
      await mailer.sendInvitation(account?.email ?? address, {
        organization: organization.name,
        department: department.name,
        url: PUBLIC_URL,
        isMember: joins !== null,
      });
      if (joins) await acceptInvitations(db, joins, now());
      request.log.info({ department_id, membership_id, role }, 'invitation sent');
      const invitation = await db.memberships.findOne({ membership_id });
      // He has become a member meanwhile, by another way; or it was withdrawn.
      if (!invitation) await refuseMember(db, organization, department_id, email, caller);
      return reply.code(201).send(presentInvitation(found(invitation)));
    },
  );
};

/** @throws {AppError} duplicate or forbidden where an address is that of somebody who has a role here already. */
async function refuseMember(
  db: Database,
  { owners }: Organization,
  department_id: string,
  email: string,
  caller: string,
): Promise<void> {
  const account = await findUserByEmail(db.users, email);
  const user_id = account && userIdOf(account);
  if (owners.some((owner) => owner.user_id === user_id)) {
    throw new AppError('forbidden', { text: OWNER_ALREADY });
  }
  // Who invites has a part here, or is just being removed, and shall not invite himself back.
  const known =
    user_id === caller ||
    (await db.memberships.findOne({ department_id, email, ...isMember })) ||
    (user_id && (await db.memberships.findOne({ department_id, user_id })));
  if (known) throw new AppError('duplicate', { text: 'Already a member' });
}
