import {
  forgotPasswordContract,
  loginContract,
  resetPasswordContract,
  signupContract,
  verifyOtpContract,
} from '@gatehouse/shared/contract/direct';
import { failures } from '@gatehouse/shared/http/errors';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { CaptchaGate } from '../captcha/gate.ts';
import type { LoginThrottle } from '../policy/login-throttle.ts';
import type { Principals } from '../policy/principals.ts';
import { relay, type Upstream } from './upstreams.ts';

interface Options {
  captcha: CaptchaGate;
  throttle: LoginThrottle;
  loginService: Upstream;
  userService: Upstream;
  principals: Principals;
  now: () => number;
}

const loginThroughTheGate = {
  ...loginContract,
  body: loginContract.body.extend({
    recaptcha_token: z
      .string()
      .optional()
      .meta({ description: "The CAPTCHA's answer; required, whatever the provider" }),
  }),
  response: {
    ...loginContract.response,
    ...failures('direct', 'missingField', 'invalidFormat', 'captchaFailed', 'rateLimited'),
  },
};

/**
 * The Direct contract at the gateway: login past the CAPTCHA, the rest straight on. What goes to a service
 * is the form that was read here, written anew, so that no second reading of the body can differ.
 */
export const direct: FastifyPluginAsyncZod<Options> = async (
  app,
  { captcha, throttle, loginService, userService, principals, now },
) => {
  app.post('/v2/login', { schema: loginThroughTheGate }, async (request, reply) => {
    const { recaptcha_token, ...form } = request.body;
    await captcha(recaptcha_token, request.ip, now());
    const answer = await throttle.guard(form.email, request.ip, () =>
      loginService.post('/v2/login', urlencoded(form), request),
    );
    return relay(reply, answer);
  });

  const forwarded = {
    '/v2/signup': signupContract,
    '/v2/verify-otp': verifyOtpContract,
    '/v2/forgot-password': forgotPasswordContract,
    '/v2/reset-password': resetPasswordContract,
  };
  for (const [path, schema] of Object.entries(forwarded)) {
    app.post(path, { schema }, async (request, reply) => {
      const form = request.body as Record<string, string>;
      const answer = await userService.post(path, urlencoded(form), request);
      // A reset ends every session; this gateway forgets them at once, the others within a second.
      if (path === '/v2/reset-password' && answer.status === 200) principals.forgetUser(String(form.email));
      return relay(reply, answer);
    });
  }
};

const urlencoded = (form: Record<string, string>) => ({
  type: 'application/x-www-form-urlencoded',
  text: new URLSearchParams(form).toString(),
});
