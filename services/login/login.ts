import { factorContract, loginContract } from '@gatehouse/shared/contract/direct';
import { passkeyLoginContract, passkeyOptionsContract } from '@gatehouse/shared/contract/passkeys';
import { logInWithFactor } from './factor-login.ts';
import { logIn } from './log-in.ts';
import { formOperation } from './operation.ts';
import { logInWithPasskey } from './passkey-login.ts';
import { requestLogin } from './passkey-request.ts';
import { credentialOf } from './use-passkey.ts';

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
  audits: ['login', 'account.restore'],
  async handle(call) {
    const { token, user_id } = await logIn(call, REFUSALS, 'direct');
    return { message: 'Login successful' as const, token, user_id };
  },
});

/** CONTRACT.md §Second factor. */
export const factorLogin = formOperation(factorContract.line, {
  ...factorContract,
  audits: ['login', 'account.restore'],
  async handle(call) {
    const { credential, ...rest } = call.body;
    const body = { ...rest, ...(credential !== undefined && { credential: credentialOf(credential) }) };
    const { token, user_id } = await logInWithFactor({ ...call, body }, 'direct');
    return { message: 'Login successful' as const, token, user_id };
  },
});

/** CONTRACT.md §Passkeys. */
export const passkeyOptions = formOperation(passkeyOptionsContract.line, {
  ...passkeyOptionsContract,
  handle: requestLogin,
});

/** CONTRACT.md §Passkeys. */
export const passkeyLogin = formOperation(passkeyLoginContract.line, {
  ...passkeyLoginContract,
  audits: ['login', 'account.restore'],
  async handle(call) {
    const body = { ...call.body, credential: credentialOf(call.body.credential) };
    const { token, user_id } = await logInWithPasskey({ ...call, body }, 'direct');
    return { message: 'Login successful' as const, token, user_id };
  },
});
