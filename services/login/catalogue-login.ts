import {
  catalogueFactorContract,
  catalogueLoginContract,
  catalogueTokenOf,
} from '@gatehouse/shared/contract/catalogue-login';
import {
  cataloguePasskeyLoginContract,
  cataloguePasskeyOptionsContract,
} from '@gatehouse/shared/contract/passkeys';
import { logInWithFactor } from './factor-login.ts';
import { logIn } from './log-in.ts';
import { operation } from './operation.ts';
import { logInWithPasskey } from './passkey-login.ts';
import { requestLogin } from './passkey-request.ts';

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
  audits: ['login', 'account.restore'],
  async handle(call) {
    return catalogueTokenOf(await logIn(call, REFUSALS, 'catalogue'));
  },
});

/** CONTRACT.md §Second factor. */
export const catalogueFactorLogin = operation(catalogueFactorContract.line, {
  ...catalogueFactorContract,
  audits: ['login', 'account.restore'],
  async handle(call) {
    return catalogueTokenOf(await logInWithFactor(call, 'catalogue'));
  },
});

/** CONTRACT.md §Passkeys. */
export const cataloguePasskeyOptions = operation(cataloguePasskeyOptionsContract.line, {
  ...cataloguePasskeyOptionsContract,
  handle: requestLogin,
});

/** CONTRACT.md §Passkeys. */
export const cataloguePasskeyLogin = operation(cataloguePasskeyLoginContract.line, {
  ...cataloguePasskeyLoginContract,
  audits: ['login', 'account.restore'],
  async handle(call) {
    return catalogueTokenOf(await logInWithPasskey(call, 'catalogue'));
  },
});
