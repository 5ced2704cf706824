import {
  factorContract,
  forgotPasswordContract,
  loginContract,
  resetPasswordContract,
  signupContract,
  verifyOtpContract,
} from '@gatehouse/shared/contract/direct';
import type { AuditAction } from '@gatehouse/shared/identity/audit-actions';
import type { Facts, RouteLine } from '@gatehouse/shared/operation/operation';
import { z } from 'zod';
import { formOperation, withFailures } from '../operation.ts';
import { relay } from '../proxy/response.ts';
import { asForm } from './content.ts';
import { forwardFactorLogin } from './factor-login.ts';

/**
 * The Direct contract. A service gets the form that was parsed here, serialized again, so that gateway and service
 * cannot parse one body in two ways.
 */

const login = formOperation(loginContract.line, {
  ...loginContract,
  body: loginContract.body.extend({
    recaptcha_token: z
      .string()
      .optional()
      .meta({ description: 'The CAPTCHA token; required unless CAPTCHA_PROVIDER is none' }),
  }),
  fails: withFailures(loginContract, 'captchaFailed', 'rateLimited'),
  audits: ['login'],
  async handle({ captcha, throttle, auditRefusals, loginService, now, request, reply, body }) {
    const { recaptcha_token, ...form } = body;
    const { email } = form;
    const response = await auditRefusals(request, { action: 'login', email }, async () => {
      await captcha(recaptcha_token, request.ip, now());
      return throttle(email, request.ip, () => loginService.post(loginContract.path, asForm(form), request));
    });
    return relay(reply, response);
  },
});

const factorLogin = formOperation(factorContract.line, {
  ...factorContract,
  audits: ['login'],
  async handle(call) {
    const { path } = factorContract;
    const content = asForm(call.body);
    return forwardFactorLogin(call, { service: call.loginService, path, action: 'login', content });
  },
});

/** An operation that the user service serves. */
const forwarded = (contract: Facts & { line: RouteLine }) =>
  formOperation(contract.line, {
    ...contract,
    async handle({ userService, request, reply, body }) {
      return relay(reply, await userService.post(contract.path, asForm(body as Form), request));
    },
  });

/** Such an operation that takes a code, which can be guessed. */
const throttled = (contract: Facts & { line: RouteLine }, action: AuditAction) =>
  formOperation(contract.line, {
    ...contract,
    description: `${contract.description} Thirty wrong codes from one client network in 15 minutes lead to 429, with a short Retry-After while they have no answer yet.`,
    audits: [action],
    async handle({ auditRefusals, codeThrottle, principals, userService, request, reply, body }) {
      const form = body as Form;
      const { email } = form;
      const response = await auditRefusals(request, { action, email }, () =>
        codeThrottle(request.ip, () => userService.post(contract.path, asForm(form), request)),
      );
      // A reset ends every session: this gateway refuses them at once, the others do within PRINCIPAL_CACHE_MS.
      if (action === 'reset' && response.status === 200) principals.forgetUser(email);
      return relay(reply, response);
    },
  });

type Form = Record<string, string> & { email: string };

export const direct = [
  login,
  factorLogin,
  forwarded(signupContract),
  throttled(verifyOtpContract, 'verify'),
  forwarded(forgotPasswordContract),
  throttled(resetPasswordContract, 'reset'),
];
