import { socialCallback } from './callback.ts';
import { socialFormCallback } from './form-callback.ts';
import { socialLogin } from './login.ts';

/** The operations of social login. */
export const socialLogins = [socialLogin, socialCallback, socialFormCallback];
