import { catalogueTokenOf } from '@gatehouse/shared/contract/catalogue-login';
import { auditedSession } from '@gatehouse/shared/identity/audit';
import type { Call } from '@gatehouse/shared/operation/operation';
import type { Connection } from '../connection-records.ts';
import type { Database } from '../database.ts';
import type { SsoOptions } from '../dependencies.ts';
import type { Account } from '../host.ts';
import { beginSession } from '../login/begin-session.ts';
import { requireLinked } from '../login/require-linked.ts';
import { restore } from '../login/restore.ts';
import { SsoRefusal } from '../refusal.ts';

/** Begins the session of a person who has proved who they are at a directory, and audits the login. */
export async function openSession(
  call: SsoOptions & Pick<Call<object, string, unknown, unknown, 'sso.login'>, 'request' | 'audit'>,
  connection: Connection,
  user: Account,
  { mfa = false, ...session }: { beganAt: number; subject: string; username: string; mfa?: boolean },
) {
  const { db, now, tokens, request, audit } = call;
  const { connection_id, organization_id } = connection;
  const { email, user_id } = user;
  const sid = await beginSession(call, connection, user, session);
  await Promise.all([
    requireEnabled(db, connection),
    requireLinked(call, { connection_id, user_id, subject: session.subject }),
  ]);
  await restore(call, request, user);
  const lifetime = tokens.lifetime.catalogue;
  await audit('sso.login', {
    user_id,
    email,
    organization_id,
    target: { connection_id },
    session: auditedSession(request, sid, lifetime, now()),
  });
  const token = tokens.session({ email, user_id }, now(), { lifetime, sid, sso: true, mfa });
  return catalogueTokenOf({ token, lifetime, user_id });
}

/**
 * Checks the connection again once the session is stored: whatever disables the connection does so before it ends the
 * sessions that it finds.
 */
async function requireEnabled(db: Database, { connection_id }: Connection): Promise<void> {
  const enabled = await db.ssoConnections.findOne(
    { connection_id, enabled: true },
    { projection: { _id: 1 } },
  );
  if (!enabled) throw new SsoRefusal('connection disabled', 'it was switched off during the login');
}
