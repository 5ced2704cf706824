import { audit } from '@gatehouse/shared/identity/audit';
import { domainOf, emailKey, isPlainAddress } from '@gatehouse/shared/identity/email';
import { newNotice, withNotice } from '@gatehouse/shared/identity/notices';
import { ACTIVE } from '@gatehouse/shared/identity/users';
import type { Connection } from '@gatehouse/sso/connection-records';
import type { Account } from '@gatehouse/sso/host';
import type { Profile } from '@gatehouse/sso/profile';
import type { Identity } from '@gatehouse/sso/records';
import type { FastifyRequest } from 'fastify';
import { forgetInvitedAddress } from '../access/memberships/forget-address.ts';
import { changeAddress } from '../account/change-address.ts';
import { isOwnAddress } from './address.ts';
import type { ProvisioningOptions } from './options.ts';

/**
 * Gives an account the address that its provider vouches for now, if the organization has verified its domain. An
 * address that another account has leaves everything as it is. The identity gets the address last, so the next login
 * completes an interrupted call.
 * @returns the account as it is now.
 */
export async function followAddress(
  options: Pick<ProvisioningOptions, 'db' | 'now'>,
  request: FastifyRequest,
  connection: Connection,
  { user, identity }: { user: Account; identity: Identity },
  { email, emailVerified }: Profile,
): Promise<Account> {
  if (email === undefined || !emailVerified || !isPlainAddress(email)) return user;
  const isSame = emailKey(email) === emailKey(user.email);
  if (isSame && identity.email === emailKey(email)) return user;
  if (!(await isOwnAddress(options.db, connection, email))) return user;
  const account = isSame ? user : await changeAndAudit(options, request, connection, user, email);
  if (emailKey(account.email) === emailKey(email)) await followCopies(options, identity, account);
  return account;
}

/** Changes the address of an account. Without `activated_at` it accepts nothing that was sent to the new address before. */
async function changeAndAudit(
  { db, now }: Pick<ProvisioningOptions, 'db' | 'now'>,
  request: FastifyRequest,
  { connection_id, organization_id }: Connection,
  user: Account,
  email: string,
): Promise<Account> {
  const { _id, user_id } = user;
  const at = new Date(now());
  const notice = { to: user.email, at: at.getTime(), request, details: { email } };
  const changed = await changeAddress(
    db,
    user,
    ACTIVE,
    { email, at },
    withNotice(
      {
        $max: { sessions_valid_from: at },
        // What holds the former address follows below. Links that undo a change stay: the provider may be that of whoever
        // has changed the address.
        $unset: { address_changed: true },
      },
      newNotice({ kind: 'email_changed_by_provider', ...notice }),
    ),
  );
  if (changed === 'taken') {
    request.log.warn(
      { connection_id, domain: domainOf(email) },
      'a changed address belongs to another account',
    );
    return user;
  }
  if (changed === null) {
    // Another login has changed the address.
    const current = await db.users.findOne({ _id, user_id });
    return current ? { ...current, user_id } : user;
  }
  await audit(db, request, now(), {
    action: 'profile.update',
    user_id,
    email,
    target: { user_id, connection_id },
    before: { email: user.email },
    after: { email },
    organization_id,
  });
  return { ...changed, user_id };
}

/** Makes what is stored with the former address follow. */
async function followCopies(
  { db }: Pick<ProvisioningOptions, 'db'>,
  { identity_id }: Identity,
  account: Account,
): Promise<void> {
  const email = emailKey(account.email);
  const { user_id } = account;
  await forgetInvitedAddress(db, user_id, email);
  await db.ssoIdentities.updateOne({ identity_id }, { $set: { email } });
}
