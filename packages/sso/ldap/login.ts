import { ldapLoginContract } from '@gatehouse/shared/contract/ldap-login';
import { factorMethods, isEnrolled } from '@gatehouse/shared/identity/enrolled';
import { halfLogin, secondFactorRequired } from '@gatehouse/shared/identity/half-login';
import type { SsoOptions } from '../dependencies.ts';
import { loginOperation } from '../dependencies.ts';
import { loginConnection } from '../login/login-connection.ts';
import { rememberMissing } from '../login/remember-missing.ts';
import type { Profile } from '../profile.ts';
import { SsoRefusal } from '../refusal.ts';
import { asLdap, type LdapConnection } from './directory.ts';
import { withDirectory } from './failover.ts';
import { authenticatePerson } from './find-person.ts';
import { openSession } from './open-session.ts';
import { profileOf } from './profile-of.ts';
import { unreachable } from './unreachable.ts';

/** Characters of a user name and of a password. */
const MAX_LENGTH = 1_024;

/** CONTRACT.md §LDAP. */
export const ldapLogin = loginOperation(ldapLoginContract.line, {
  ...ldapLoginContract,
  audits: ['sso.login', 'account.restore', 'sso.link', 'member.grant', 'member.remove'],
  async handle(call) {
    const { host, now, tokens, request, body, audit } = call;
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
    if (isEnrolled(user, now())) {
      const { connection_id, organization_id } = connection;
      const { email, user_id, sessions_valid_from } = user;
      await audit('sso.login', {
        outcome: 'second factor required',
        user_id,
        email,
        organization_id,
        target: { connection_id },
      });
      // Provisioning may have just ended the earlier sessions, not this one.
      const began = Math.max(beganAt, (sessions_valid_from?.getTime() ?? 0) + 1);
      const login = { ...halfLogin(user, began), connection_id, subject, username };
      throw secondFactorRequired(
        tokens.directoryFactor(login, now()),
        user,
        factorMethods(user.second_factor),
      );
    }
    return openSession(call, connection, user, { beganAt, subject, username });
  },
});

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
