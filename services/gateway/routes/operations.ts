import { altchaChallenge } from './captcha-challenge.ts';
import { catalogueFactorLogin, catalogueLogin } from './catalogue-login.ts';
import { direct } from './direct.ts';
import { ldapFactorLogin, ldapLogin } from './ldap-login.ts';
import { loginCode } from './login-code.ts';
import { passkeys } from './passkeys.ts';
import { respond } from './respond.ts';
import { uploadPdf } from './upload-pdf.ts';
import { ways } from './ways.ts';

/** The operations that the gateway itself checks. It forwards every other call by its prefix. */
export const OPERATIONS = [
  ...direct,
  catalogueLogin,
  catalogueFactorLogin,
  ...passkeys,
  ldapLogin,
  ldapFactorLogin,
  ...loginCode,
  respond,
  uploadPdf,
  altchaChallenge,
  ways,
];
