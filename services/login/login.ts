import { loginContract } from '@gatehouse/shared/contract/direct';
import { newSessionId } from '@gatehouse/shared/identity/session-id';
import { LIFETIME } from '@gatehouse/shared/identity/tokens';
import { userIdOf } from '@gatehouse/shared/identity/users';
import { checkCredentials } from './check-credentials.ts';
import { formOperation } from './operation.ts';

/** CONTRACT.md §Login: the 404 reveals on purpose whether an account exists. */
const REFUSALS = {
  errors: {
    'unknown account': 'accountDoesNotExist',
    'wrong password': 'invalidCredentials',
    'account disabled': 'invalidCredentials',
    'not verified': 'accountNotVerified',
    'single sign-on required': 'ssoRequired',
  },
  hidesAccounts: false,
} as const;

/** CONTRACT.md §Login. No rate limit and no lockout here: the gateway has them. */
export const login = formOperation(loginContract.line, {
  ...loginContract,
  audits: ['login'],
  async handle(call) {
    const { tokens, now, request, body } = call;
    const began = now();
    // The session begins before the password is read, so a reset during this login ends it.
    const session = { sid: newSessionId(began), lifetime: LIFETIME.direct };
    const user = await checkCredentials(call, request, body, REFUSALS, session, began);
    const user_id = userIdOf(user);
    const token = tokens.session({ email: user.email, user_id }, now(), session);
    return { message: 'Login successful' as const, token, user_id };
  },
});
