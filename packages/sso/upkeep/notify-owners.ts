import { X509Certificate } from 'node:crypto';
import { bounded } from '@gatehouse/shared/data/bounded';
import { LeaseLost } from '@gatehouse/shared/durable/lease';
import { sendAll } from '@gatehouse/shared/durable/outbox';
import { ACTIVE } from '@gatehouse/shared/identity/users';
import type { FastifyBaseLogger } from 'fastify';
import type { WithId } from 'mongodb';
import type { SsoHost } from '../host.ts';
import type { SamlConnection } from '../saml/service-provider.ts';
import type { UpkeepLeaseHolder } from './lease.ts';
import { fingerprintOf } from './merge-certificates.ts';

/** Days before the end of a certificate at which the Owners are told. */
const NOTICES = [7, 30] as const;
const DAY = 86_400_000;
/** Owners of an organization who are told. */
const MAX_RECIPIENTS = 20;

interface Notice {
  /** Names the notice, the same in every process. */
  key: string;
  expires: Date;
  /** Whether the connection has a certificate that is valid for longer. */
  hasSuccessor: boolean;
}

/** Returns the notices that are due. A certificate that the metadata no longer hold needs none. */
function dueNotices({ saml }: Pick<SamlConnection, 'saml'>, now: number): Notice[] {
  const leaving = (saml.withdrawn ?? []).map(({ fingerprint }) => fingerprint);
  const current = saml.certificates
    .map((pem) => ({ fingerprint: fingerprintOf(pem), expires: new X509Certificate(pem).validToDate }))
    .filter(({ fingerprint }) => !leaving.includes(fingerprint));
  return current.flatMap(({ fingerprint, expires }) => {
    const left = expires.getTime() - now;
    const days = NOTICES.find((notice) => left <= notice * DAY);
    if (left <= 0 || days === undefined) return [];
    const hasSuccessor = current.some((other) => other.expires.getTime() > now + 30 * DAY);
    return [{ key: `${fingerprint} ${days}`, expires, hasSuccessor }];
  });
}

interface Upkeep extends UpkeepLeaseHolder {
  host: SsoHost;
  log: FastifyBaseLogger;
  isStopping: () => boolean;
}

/**
 * Tells the Owners of a connection's organization that a certificate of its provider expires. `upkeep.told`
 * notes each mail that was accepted.
 * @returns whether all are told.
 * @throws {LeaseLost} if another process has taken the connection up, or it was disabled or deleted.
 */
export async function notifyOwners(
  { db, host, now, lease, log, isStopping }: Upkeep,
  connection: WithId<SamlConnection>,
): Promise<boolean> {
  const { _id, organization_id, name } = connection;
  const notices = dueNotices(connection, now());
  if (notices.length === 0) return true;
  const organization = await bounded(host.ownersOf(organization_id, MAX_RECIPIENTS));
  if (!organization) return true;
  const people = await bounded(
    db.users
      .find(
        { user_id: { $in: organization.owners }, ...ACTIVE },
        { projection: { user_id: 1, email: 1, language: 1 } },
      )
      .toArray(),
  );
  const told = new Set(connection.upkeep?.told);
  const mails = notices.flatMap(({ key, ...notice }) =>
    people
      .map(({ user_id = '', ...person }) => ({ user_id, person, entry: `${key} ${user_id}` }))
      .filter(({ entry }) => !told.has(entry))
      .map(({ user_id, person, entry }) => ({
        user_id,
        send: () =>
          host.mailer.sendCertificateExpires(person, {
            organization: organization.name,
            connection: name,
            ...notice,
          }),
        sent: { $addToSet: { 'upkeep.told': entry } },
      })),
  );
  const result = await sendAll(mails, {
    renew: (update) => lease.renew(_id, update, { enabled: true }),
    isStopping,
    log,
    failure: 'Owner not told of an expiring certificate yet',
  });
  if (result === 'interrupted') throw new LeaseLost();
  return result === 'sent';
}
