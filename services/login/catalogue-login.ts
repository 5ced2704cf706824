import { catalogueLoginContract } from '@gatehouse/shared/contract/catalogue-login';
import { newSessionId } from '@gatehouse/shared/identity/session-id';
import { LIFETIME } from '@gatehouse/shared/identity/tokens';
import { userIdOf } from '@gatehouse/shared/identity/users';
import { checkCredentials } from './check-credentials.ts';
import { operation } from './operation.ts';

/** CONTRACT.md §Catalogue login does not reveal whether an account exists. */
const REFUSALS = {
  errors: {
    'unknown account': 'invalidCredentials',
    'wrong password': 'invalidCredentials',
    'account disabled': 'invalidCredentials',
    'not verified': 'accountNotVerified',
    'single sign-on required': 'ssoRequired',
  },
  hidesAccounts: true,
} as const;

/** CONTRACT.md §Catalogue login. */
export const catalogueLogin = operation(catalogueLoginContract.line, {
  ...catalogueLoginContract,
  audits: ['login'],
  async handle(call) {
    const { tokens, now, request, body } = call;
    const began = now();
    // The session begins before the password is read, so a reset during this login ends it.
    const session = { sid: newSessionId(began), lifetime: LIFETIME.catalogue };
    const user = await checkCredentials(call, request, body, REFUSALS, session, began);
    const user_id = userIdOf(user);
    return {
      access_token: tokens.session({ email: user.email, user_id }, now(), session),
      token_type: 'Bearer' as const,
      expires_in: LIFETIME.catalogue,
      user_id,
    };
  },
});
