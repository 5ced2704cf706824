import { audit } from '@gatehouse/shared/identity/audit';
import { startOf } from '@gatehouse/shared/identity/tokens';
import type { FastifyRequest } from 'fastify';
import type { Connection } from '../connection-records.ts';
import type { SsoOptions } from '../dependencies.ts';
import { endProviderSessions } from '../login/end-sessions.ts';
import type { ProviderSession } from '../records.ts';
import type { Verdict } from './verdict.ts';

/** Ends what a provider no longer vouches for. A person who is gone is reported to the Owners, once. */
export async function endByVerdict(
  options: SsoOptions,
  request: FastifyRequest,
  connection: Connection,
  { sid, subject, user_id }: ProviderSession,
  { detail, ends, isGone }: Extract<Verdict, { continues: false }>,
): Promise<void> {
  const { db, host, now } = options;
  const { connection_id, organization_id } = connection;
  await endProviderSessions(options, { connection_id, ...(ends === 'person' ? { subject } : { sid }) });
  await audit(db, request, now(), {
    action: 'sso.logout',
    user_id,
    organization_id,
    target: { connection_id },
    after: { detail },
  });
  // A connection that has changed since the login may ask another directory, or below another base.
  if (!isGone || connection.updated_at.getTime() > startOf(sid)) return;
  const identity = await db.ssoIdentities.findOneAndUpdate(
    { connection_id, subject, gone_at: { $exists: false } },
    { $set: { gone_at: new Date(now()) } },
  );
  if (identity) host.reportGone(request, connection, identity);
}
