import { ldapLoginContract as contract, ldapFactorContract } from '@gatehouse/shared/contract/ldap-login';
import { operation, withFailures } from '../operation.ts';
import { asJson } from './content.ts';
import { forwardFactorLogin } from './factor-login.ts';
import { captchaField, forwardLogin } from './json-login.ts';

/** CONTRACT.md §LDAP. */
export const ldapLogin = operation(contract.line, {
  ...contract,
  body: contract.body.extend(captchaField).meta(contract.body.meta() ?? {}),
  fails: withFailures(contract, 'captchaFailed'),
  audits: ['sso.login'],
  async handle(call) {
    const { path } = contract;
    const account = accountKey(call.body);
    return forwardLogin(call, { account, action: 'sso.login', email: null, service: call.userService, path });
  },
});

/** CONTRACT.md §LDAP. */
export const ldapFactorLogin = operation(ldapFactorContract.line, {
  ...ldapFactorContract,
  audits: ['sso.login'],
  async handle(call) {
    const { path } = ldapFactorContract;
    const content = asJson(call.body);
    return forwardFactorLogin(call, { service: call.userService, path, action: 'sso.login', content });
  },
});

/**
 * Names an account at a directory. Directories compare names without regard to case, accents, compatibility forms,
 * spaces and invisible characters (RFC 4518 §2), so none of them makes another account.
 */
const accountKey = ({ connection, username }: { connection: string; username: string }): string => {
  const letters = username
    .normalize('NFKD')
    .replace(/[\p{M}\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu, '');
  return `ldap:${connection.toLowerCase()}:${letters.toLowerCase()}`;
};
