import { randomUUIDv7 } from 'node:crypto';
import { grantableBy, ROLES, type Role } from '@gatehouse/shared/access/rbac';
import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { addressKey } from '@gatehouse/shared/http/address';
import { AppError, failures, found } from '@gatehouse/shared/http/errors';
import { expecting, jsonBody, oneOf } from '@gatehouse/shared/http/fields';
import { audit } from '@gatehouse/shared/identity/audit';
import { emailKey, isPlainAddress } from '@gatehouse/shared/identity/email';
import { findUserByEmail, isActive, userIdOf } from '@gatehouse/shared/identity/users';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { WithId } from 'mongodb';
import { z } from 'zod';
import { membershipOf, roleOf } from '../../access/membership.ts';
import type { Database } from '../../database.ts';
import type { Mailer } from '../../mail.ts';
import { ALREADY_OWNER, bodyRefusals, departmentPath, invitationRecord, tagged } from '../contract.ts';
import { isMember } from '../members/present-member.ts';
import { nameInMail } from '../names.ts';
import type { Membership, Organization } from '../records.ts';
import { acceptInvitation } from './accept.ts';
import { spendInvitation } from './budget.ts';
import { presentInvitation } from './present-invitation.ts';

/** Days until an invitation expires. */
const VALID_DAYS = 14;

const config = { permission: 'add users' } as const;

const schema = {
  ...tagged,
  summary: 'Invite a person to a department by e-mail',
  description: `A person with an active account becomes a member at once; anyone else does when they have verified the address. An invitation expires after ${VALID_DAYS} days; inviting the same address again renews it and sends another e-mail. Callers cannot invite to a role above their own. Invitations to one mailbox, from one caller and from one network are limited.`,
  params: departmentPath,
  body: jsonBody({
    email: z
      .string(expecting('must be an e-mail address'))
      .trim()
      .refine(isPlainAddress, { error: 'must be an e-mail address' }),
    role: oneOf(ROLES),
  }).meta({ examples: [{ email: 'grace@example.com', role: 'Editor' }] }),
  response: { 201: invitationRecord, ...bodyRefusals, ...failures('catalogue', 'duplicate') },
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
      const network = addressKey(request.ip);
      await spendInvitation(db, { organization_id, inviter: caller, email, network }, now());

      const refuse = () => refuseMember(db, organization, department_id, email, caller);
      await refuse();
      const written = await upsertInvitation(
        db,
        { organization_id, department_id, email },
        { role, grantable, granted_by: caller, now: now() },
      );
      if (!written) {
        await refuse(); // accepted concurrently
        throw new AppError('forbidden'); // invited to a role above the caller's
      }
      const { membership_id } = written;
      await audit(db, request, now(), {
        action: 'invitation.create',
        target: { email, invitation_id: membership_id },
        after: { role },
        organization_id,
        department_id,
      });

      // Look for the account after the write: if the address is verified in between, that call accepts the invitation.
      const account = await findUserByEmail(db.users, email);
      const user_id = account && isActive(account) ? userIdOf(account) : null;
      // Send the e-mail before accepting: if it fails, the caller can retry.
      const recipient = account?.email ?? address;
      await mailer.sendInvitation(recipient, {
        organization: nameInMail(organization.name),
        department: nameInMail(department.name),
        url: user_id === null ? invitationPage(PUBLIC_URL, recipient) : PUBLIC_URL,
        isMember: user_id !== null,
      });
      if (user_id !== null) await acceptInvitation(db, written, { user_id, email }, now(), request);
      const invitation = await db.memberships.findOne({ membership_id });
      // A concurrent call has withdrawn the invitation or made the user a member in another way.
      if (!invitation) await refuse();
      return reply.code(201).send(presentInvitation(found(invitation)));
    },
  );
};

/** The account page for people without an account. No server sees the address, which is in the fragment. */
const invitationPage = (publicUrl: string, email: string): string =>
  `${publicUrl.replace(/\/$/, '')}/invitation#email=${encodeURIComponent(email)}`;

/**
 * Creates an invitation, or renews one that has expired or is to a role that the caller may grant.
 * @returns null if the address is already a member's or is invited to a role above the caller's.
 */
async function upsertInvitation(
  db: Database,
  invitation: Pick<Membership, 'organization_id' | 'department_id' | 'email'>,
  { role, grantable, granted_by, now }: { role: Role; grantable: Role[]; granted_by: string; now: number },
): Promise<WithId<Membership> | null> {
  const write = (upsert: boolean) =>
    db.memberships.findOneAndUpdate(
      {
        ...invitation,
        user_id: { $exists: false },
        $or: [{ role: { $in: grantable } }, { expires_at: { $lte: new Date(now) } }],
      },
      {
        $set: {
          role,
          granted_by,
          granted_at: new Date(now).toISOString(),
          expires_at: new Date(now + VALID_DAYS * 86_400_000),
        },
        $setOnInsert: { membership_id: randomUUIDv7() },
      },
      { upsert, returnDocument: 'after' },
    );
  try {
    return await write(true);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return write(false); // a concurrent call has created the invitation
  }
}

/** @throws {AppError} duplicate or forbidden if the address belongs to a user with a role in the department. */
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
    throw new AppError('forbidden', { text: ALREADY_OWNER });
  }
  // Callers who are being removed must not invite themselves back.
  const isMemberAlready =
    user_id === caller ||
    (await db.memberships.findOne({ department_id, email, ...isMember })) ||
    (user_id && (await db.memberships.findOne({ department_id, user_id })));
  if (isMemberAlready) throw new AppError('duplicate', { text: 'Already a member' });
}
