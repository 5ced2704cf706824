import { X509Certificate } from 'node:crypto';
import { bounded } from '@gatehouse/shared/data/bounded';
import { ACTIVE } from '@gatehouse/shared/identity/users';
import type { FastifyBaseLogger } from 'fastify';
import type { WithId } from 'mongodb';
import type { SsoHost } from '../host.ts';
import type { SamlConnection } from '../saml/service-provider.ts';
import { type LeaseHolder, renew } from './lease.ts';
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

/**
 * Tells the Owners of a connection's organization that a certificate of its provider expires. Each Owner is noted once
 * the mail server has accepted the mail, so that a kill or a mail server that is down repeats at most the mail in
 * flight.
 * @returns whether all are told.
 */
export async function notifyOwners(
  holder: LeaseHolder & { host: SsoHost; log: FastifyBaseLogger },
  connection: WithId<SamlConnection>,
): Promise<boolean> {
  const { db, host, now, log } = holder;
  const { _id, connection_id, organization_id, name } = connection;
  const notices = dueNotices(connection, now());
  if (notices.length === 0) return true;
  const organization = await bounded(host.ownersOf(organization_id, MAX_RECIPIENTS));
  if (!organization) return true;
  const people = await bounded(
    db.users
      .find({ user_id: { $in: organization.owners }, ...ACTIVE }, { projection: { user_id: 1, email: 1 } })
      .toArray(),
  );
  const told = new Set(connection.upkeep?.told);
  let all = true;
  for (const { key, ...notice } of notices) {
    for (const { user_id, email } of people) {
      const entry = `${key} ${user_id}`;
      if (told.has(entry)) continue;
      await renew(holder, _id);
      try {
        await host.mailer.sendCertificateExpires(email, {
          organization: organization.name,
          connection: name,
          ...notice,
        });
      } catch (error) {
        log.warn({ err: error, connection_id, user_id }, 'Owner not told of an expiring certificate yet');
        all = false;
        continue;
      }
      await bounded(db.ssoConnections.updateOne({ connection_id }, { $addToSet: { 'upkeep.told': entry } }));
    }
  }
  return all;
}
