import { ldapFactorContract } from '@gatehouse/shared/contract/ldap-login';
import { createFactorSecrets } from '@gatehouse/shared/data/secrets';
import { AppError } from '@gatehouse/shared/http/errors';
import { toAppError } from '@gatehouse/shared/http/to-app-error';
import { accountOfHalfLogin } from '@gatehouse/shared/identity/half-login';
import { spendFactorCode } from '@gatehouse/shared/identity/second-factor';
import { userIdOf } from '@gatehouse/shared/identity/users';
import { loginOperation } from '../dependencies.ts';
import { loginConnection } from '../login/login-connection.ts';
import { openSession } from './open-session.ts';

/** CONTRACT.md §LDAP. Every check is made again, because five minutes may have passed. */
export const ldapFactorLogin = loginOperation(ldapFactorContract.line, {
  ...ldapFactorContract,
  audits: ['sso.login', 'account.restore'],
  async handle(call) {
    const { config, db, now, tokens, request, body, audit } = call;
    const login = tokens.halfDirectoryLoginOf(body.factor_token, now());
    const user = login && (await accountOfHalfLogin(db.users, login, now()));
    const user_id = user && userIdOf(user);
    if (!login || !user || !user_id) throw new AppError('factorTokenInvalid');
    const { connection_id, began, subject, username } = login;
    const connection = await loginConnection(call, { protocol: 'ldap', connection_id });
    request.sso.connection = connection;
    const { email } = user;
    try {
      const proof = { code: body.code, now: now(), request };
      await spendFactorCode(db.users, createFactorSecrets(config), user, proof);
    } catch (error) {
      const { organization_id } = connection;
      const target = { connection_id };
      await audit('sso.login', {
        outcome: toAppError(error).message,
        user_id,
        email,
        organization_id,
        target,
      });
      throw error;
    }
    return openSession(
      call,
      connection,
      { ...user, user_id },
      {
        beganAt: began,
        subject,
        username,
        mfa: true,
      },
    );
  },
});
