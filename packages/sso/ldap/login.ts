import { ldapLoginContract } from '@gatehouse/shared/contract/ldap-login';
import { auditedSession } from '@gatehouse/shared/identity/audit';
import type { Connection } from '../connection-records.ts';
import type { Database } from '../database.ts';
import type { SsoOptions } from '../dependencies.ts';
import { loginOperation } from '../dependencies.ts';
import { beginSession } from '../login/begin-session.ts';
import { loginConnection } from '../login/login-connection.ts';
import { rememberMissing } from '../login/remember-missing.ts';
import { requireLinked } from '../login/require-linked.ts';
import type { Profile } from '../profile.ts';
import { SsoRefusal } from '../refusal.ts';
import { asLdap, type LdapConnection } from './directory.ts';
import { withDirectory } from './failover.ts';
import { authenticatePerson } from './find-person.ts';
import { profileOf } from './profile-of.ts';
import { unreachable } from './unreachable.ts';

/** Characters of a user name and of a password. */
const MAX_LENGTH = 1_024;

/** CONTRACT.md §LDAP. */
export const ldapLogin = loginOperation(ldapLoginContract.line, {
  ...ldapLoginContract,
  audits: ['sso.login', 'account.restore', 'sso.link', 'member.grant', 'member.remove'],
  async handle(call) {
    const { db, host, now, tokens, request, body, audit } = call;
    const beganAt = now();
    const { connection: slug, ...credentials } = body;
    const connection = asLdap(await loginConnection(call, { protocol: 'ldap', slug }));
    request.sso.connection = connection;
    const profile = await authenticate(call, connection, credentials);
    await rememberMissing(call, connection, profile);
    if (profile.email !== undefined) request.sso.email = profile.email;
    const user = await host.provision(request, connection, profile);
    const { subject } = profile;
    const { username } = credentials;
    const sid = await beginSession(call, request, connection, user, { beganAt, subject, username });
    const { connection_id } = connection;
    const { email, user_id } = user;
    await Promise.all([
      requireEnabled(db, connection),
      requireLinked(call, { connection_id, user_id, subject }),
    ]);
    await audit('sso.login', {
      user_id,
      email,
      organization_id: connection.organization_id,
      target: { connection_id },
      session: auditedSession(request, sid, tokens.lifetime.catalogue, now()),
    });
    return {
      access_token: tokens.session({ email, user_id }, now(), {
        lifetime: tokens.lifetime.catalogue,
        sid,
        sso: true,
      }),
      token_type: 'Bearer' as const,
      expires_in: tokens.lifetime.catalogue,
      user_id,
    };
  },
});

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

async function authenticate(
  options: SsoOptions,
  connection: LdapConnection,
  credentials: { username: string; password: string },
): Promise<Profile> {
  const { username, password } = credentials;
  if ([username, password].some((text) => text.includes('\0') || text.length > MAX_LENGTH))
    throw new SsoRefusal('credentials refused', 'the user name or the password holds NUL or is too long');
  try {
    const entry = await withDirectory(options, connection, (directory) =>
      authenticatePerson(options, directory, connection, credentials),
    );
    return profileOf(entry, connection);
  } catch (error) {
    if (error instanceof SsoRefusal) throw error;
    throw unreachable(error as Error);
  }
}
