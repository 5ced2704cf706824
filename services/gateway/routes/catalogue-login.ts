import {
  catalogueLoginContract as contract,
  catalogueFactorContract as factorContract,
} from '@gatehouse/shared/contract/catalogue-login';
import { operation } from '../operation.ts';
import { relay } from '../proxy/response.ts';
import { captchaField, forwardLogin } from './json-login.ts';

/** CONTRACT.md §Catalogue login. */
export const catalogueLogin = operation(contract.line, {
  ...contract,
  body: contract.body.extend(captchaField).meta(contract.body.meta() ?? {}),
  fails: [...(contract.fails ?? []), 'captchaFailed', 'rateLimited'],
  audits: ['login'],
  async handle(call) {
    const { email } = call.body;
    const { path } = contract;
    return forwardLogin(call, { account: email, action: 'login', email, service: call.loginService, path });
  },
});

/** CONTRACT.md §Second factor. The password has passed the CAPTCHA and the login throttle. */
export const catalogueFactorLogin = operation(factorContract.line, {
  ...factorContract,
  audits: ['login'],
  async handle({ auditRefusals, factorThrottle, loginService, request, reply, body }) {
    const json = { type: 'application/json', text: JSON.stringify(body) };
    const post = () => loginService.post(factorContract.path, json, request);
    const response = await auditRefusals(request, { action: 'login', email: null }, () =>
      factorThrottle(request.ip, post),
    );
    return relay(reply, response);
  },
});
