import { ACTIVE } from '@gatehouse/shared/identity/users';
import type { Connection } from '@gatehouse/sso/connection-records';
import type { Identity } from '@gatehouse/sso/records';
import type { FastifyRequest } from 'fastify';
import type { Deprovisioned } from '../mail/mails.ts';
import { nameInMail } from '../organizations/names.ts';
import type { ProvisioningOptions } from './options.ts';

/**
 * Tells the Owners of an organization by mail that its provider has deleted a person. Best effort: neither the deletion
 * nor its answer depends on the mail server. Each send has a time limit.
 */
export function notifyOwners(
  options: Pick<ProvisioningOptions, 'db' | 'mailer'>,
  request: FastifyRequest,
  connection: Connection,
  identity: Pick<Identity, 'user_id' | 'email'>,
  account: Deprovisioned['account'],
): void {
  const { user_id } = identity;
  void send(options, request, connection, { email: identity.email, account }).catch((error) => {
    request.log.error({ err: error, user_id }, 'Owners not told of a deleted person');
  });
}

async function send(
  { db, mailer }: Pick<ProvisioningOptions, 'db' | 'mailer'>,
  request: FastifyRequest,
  { organization_id }: Connection,
  person: Pick<Deprovisioned, 'email' | 'account'>,
): Promise<void> {
  const organization = await db.organizations.findOne({ organization_id });
  if (!organization) return;
  const owners = await db.users
    .find({ user_id: { $in: organization.owners.map((owner) => owner.user_id) }, ...ACTIVE })
    .toArray();
  const mail = { organization: nameInMail(organization.name), ...person };
  await Promise.all(
    owners.map((owner) =>
      mailer.sendDeprovisioned(owner, mail).catch((error) => {
        request.log.error({ err: error, user_id: owner.user_id }, 'Owner not told of a deleted person');
      }),
    ),
  );
}
