import { catalogueLogin } from './catalogue-login.ts';
import { login } from './login.ts';
import { logouts } from './logout.ts';
import { refreshes } from './refresh.ts';

/** Every operation of the login service. */
export const OPERATIONS = [login, catalogueLogin, ...refreshes, ...logouts];
