import {
  catalogueLoginContract as contract,
  catalogueFactorContract as factorContract,
} from '@gatehouse/shared/contract/catalogue-login';
import { operation, withFailures } from '../operation.ts';
import { asJson } from './content.ts';
import { forwardFactorLogin } from './factor-login.ts';
import { captchaField, forwardLogin } from './json-login.ts';

/** CONTRACT.md §Catalogue login. */
export const catalogueLogin = operation(contract.line, {
  ...contract,
  body: contract.body.extend(captchaField).meta(contract.body.meta() ?? {}),
  fails: withFailures(contract, 'captchaFailed', 'rateLimited'),
  audits: ['login'],
  async handle(call) {
    const { email } = call.body;
    const { path } = contract;
    return forwardLogin(call, { account: email, action: 'login', email, service: call.loginService, path });
  },
});

/** CONTRACT.md §Second factor. */
export const catalogueFactorLogin = operation(factorContract.line, {
  ...factorContract,
  audits: ['login'],
  async handle(call) {
    const { path } = factorContract;
    const content = asJson(call.body);
    return forwardFactorLogin(call, { service: call.loginService, path, action: 'login', content });
  },
});
