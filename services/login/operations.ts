import {
  catalogueFactorLogin,
  catalogueLogin,
  cataloguePasskeyLogin,
  cataloguePasskeyOptions,
} from './catalogue-login.ts';
import { confirm, confirmPasskeyOptions } from './confirm.ts';
import { factorLogin, login, passkeyLogin, passkeyOptions } from './login.ts';
import { logouts } from './logout.ts';
import { refreshes } from './refresh.ts';

/** Every operation of the login service. */
export const OPERATIONS = [
  login,
  factorLogin,
  passkeyOptions,
  passkeyLogin,
  catalogueLogin,
  catalogueFactorLogin,
  cataloguePasskeyOptions,
  cataloguePasskeyLogin,
  confirm,
  confirmPasskeyOptions,
  ...refreshes,
  ...logouts,
];
