import { catalogueFactorLogin, catalogueLogin } from './catalogue-login.ts';
import { confirm } from './confirm.ts';
import { factorLogin, login } from './login.ts';
import { logouts } from './logout.ts';
import { refreshes } from './refresh.ts';

/** Every operation of the login service. */
export const OPERATIONS = [
  login,
  factorLogin,
  catalogueLogin,
  catalogueFactorLogin,
  confirm,
  ...refreshes,
  ...logouts,
];
