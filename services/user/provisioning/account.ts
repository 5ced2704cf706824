import { audit } from '@gatehouse/shared/identity/audit';
import type { Connection } from '@gatehouse/sso/connection-records';
import type { Account } from '@gatehouse/sso/host';
import type { Profile } from '@gatehouse/sso/profile';
import type { FastifyRequest } from 'fastify';
import type { ProvisioningOptions } from './options.ts';
import type { AssignedRole } from './role.ts';

/** The fields of an account that a provider sets. */
type Attributes = Pick<Profile, 'firstName' | 'lastName'> & { role: AssignedRole | undefined };

const MAX_NAME = 200;

/** Returns the name that the provider sends, as one line; undefined if it sends none. */
export function fullName({
  firstName = '',
  lastName = '',
}: Pick<Profile, 'firstName' | 'lastName'>): string | undefined {
  const line = `${firstName} ${lastName}`
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\s]+/gu, ' ')
    .trim();
  return Array.from(line).slice(0, MAX_NAME).join('').trim() || undefined;
}

interface Context {
  options: Pick<ProvisioningOptions, 'db' | 'now'>;
  request: FastifyRequest;
  connection: Connection;
}

/** Writes what differs from the account. @returns the account as it is now. */
export async function updateAccount(
  { options: { db, now }, request, connection }: Context,
  user: Account,
  attributes: Attributes,
): Promise<Account> {
  const name = fullName(attributes) ?? user.name;
  const role = attributes.role ?? user.role;
  if (name === user.name && role === user.role) return user;
  const changes = { name, ...(role !== undefined && { role }) };
  await db.users.updateOne({ _id: user._id }, { $set: changes, $unset: { name_words: true } });
  const { user_id, email } = user;
  const { connection_id, organization_id } = connection;
  // The actor is the person; their provider triggered the change.
  await audit(db, request, now(), {
    action: 'profile.update',
    user_id,
    email,
    target: { user_id, connection_id },
    before: { name: user.name, role: user.role ?? null },
    after: { name, role: role ?? null },
    organization_id,
  });
  return { ...user, ...changes };
}
