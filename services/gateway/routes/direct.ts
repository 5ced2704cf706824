import {
  forgotPasswordContract,
  loginContract,
  resetPasswordContract,
  signupContract,
  verifyOtpContract,
} from '@gatehouse/shared/contract/direct';
import { failures } from '@gatehouse/shared/http/errors';
import type { AuditAction } from '@gatehouse/shared/identity/audit-actions';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { CaptchaGate } from '../captcha/gate.ts';
import type { AuditRefusals } from '../policy/audit-refusals.ts';
import type { CodeThrottle } from '../policy/code-throttle.ts';
import type { LoginThrottle } from '../policy/login-throttle.ts';
import type { Principals } from '../policy/principals.ts';
import { relay } from '../proxy/response.ts';
import type { Upstream } from '../proxy/upstreams.ts';

interface Options {
  captcha: CaptchaGate;
  throttle: LoginThrottle;
  codeThrottle: CodeThrottle;
  auditRefusals: AuditRefusals;
  loginService: Upstream;
  userService: Upstream;
  principals: Principals;
  now: () => number;
}

const loginWithCaptcha = {
  ...loginContract,
  body: loginContract.body.extend({
    recaptcha_token: z
      .string()
      .optional()
      .meta({ description: 'The CAPTCHA token; required unless CAPTCHA_PROVIDER is none' }),
  }),
  response: {
    ...loginContract.response,
    ...failures('direct', 'missingField', 'invalidFormat', 'captchaFailed', 'rateLimited'),
  },
};

/** Documents the code throttle. */
const codeLimited = <T extends { description: string }>(contract: T): T => ({
  ...contract,
  description: `${contract.description} Thirty wrong codes from one client network in 15 minutes lead to 429, with a short Retry-After while they have no answer yet.`,
});

/** Paths where a code can be guessed, with what an attempt is audited as. */
const TAKES_CODE: Partial<Record<string, AuditAction>> = {
  '/v2/verify-otp': 'verify',
  '/v2/reset-password': 'reset',
};

/**
 * The Direct contract. A service gets the form that was parsed here, serialized again, so that gateway and service
 * cannot parse one body in two ways.
 */
export const direct: FastifyPluginAsyncZod<Options> = async (
  app,
  { captcha, throttle, codeThrottle, auditRefusals, loginService, userService, principals, now },
) => {
  app.post('/v2/login', { schema: loginWithCaptcha }, async (request, reply) => {
    const { recaptcha_token, ...form } = request.body;
    const { email } = form;
    const response = await auditRefusals(request, { action: 'login', email }, async () => {
      await captcha(recaptcha_token, request.ip, now());
      return throttle.guard(email, request.ip, () =>
        loginService.post('/v2/login', urlencoded(form), request),
      );
    });
    return relay(reply, response);
  });

  const forwarded = {
    '/v2/signup': signupContract,
    '/v2/verify-otp': codeLimited(verifyOtpContract),
    '/v2/forgot-password': forgotPasswordContract,
    '/v2/reset-password': codeLimited(resetPasswordContract),
  };
  for (const [path, schema] of Object.entries(forwarded)) {
    app.post(path, { schema }, async (request, reply) => {
      const form = request.body as Record<string, string> & { email: string };
      const { email } = form;
      const forward = () => userService.post(path, urlencoded(form), request);
      const action = TAKES_CODE[path];
      const response = await (action
        ? auditRefusals(request, { action, email }, () => codeThrottle.guard(request.ip, forward))
        : forward());
      // A reset ends every session: this gateway refuses them at once, the others do within PRINCIPAL_CACHE_MS.
      if (path === '/v2/reset-password' && response.status === 200) principals.forgetUser(email);
      return relay(reply, response);
    });
  }
};

const urlencoded = (form: Record<string, string>) => ({
  type: 'application/x-www-form-urlencoded',
  text: new URLSearchParams(form).toString(),
});
