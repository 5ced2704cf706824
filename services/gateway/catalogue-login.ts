import type { GatewayConfig } from '@gatehouse/shared/config';
import { catalogueLoginContract } from '@gatehouse/shared/contract/catalogue-login';
import { failures } from '@gatehouse/shared/http/errors';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { CaptchaGate } from './captcha/gate.ts';
import type { LoginThrottle } from './policy/login-throttle.ts';
import { relay, type Upstream } from './proxy/upstreams.ts';

interface Options {
  config: Pick<GatewayConfig, 'CAPTCHA_ON_CATALOGUE_LOGIN'>;
  captcha: CaptchaGate;
  throttle: LoginThrottle;
  loginService: Upstream;
  now: () => number;
}

const schema = {
  ...catalogueLoginContract,
  body: catalogueLoginContract.body
    .extend({
      recaptcha_token: z
        .string()
        .optional()
        .meta({ description: "The CAPTCHA's answer; asked for, by CAPTCHA_REQUIRED, after failures" }),
    })
    .meta(catalogueLoginContract.body.meta() ?? {}),
  response: {
    ...catalogueLoginContract.response,
    ...failures('catalogue', 'missingField', 'invalidFormat', 'captchaFailed', 'rateLimited'),
  },
};

/** POST /api/v1/auth/login: past the CAPTCHA where this account or address has failed before, then forwarded. */
export const catalogueLogin: FastifyPluginAsyncZod<Options> = async (
  app,
  { config, captcha, throttle, loginService, now },
) => {
  const policy = config.CAPTCHA_ON_CATALOGUE_LOGIN;

  app.post('/api/v1/auth/login', { schema, config: { public: true } }, async (request, reply) => {
    const { recaptcha_token, ...credentials } = request.body;
    const solved = () => captcha(recaptcha_token, request.ip, now());
    if (policy === 'always') await solved();
    const json = { type: 'application/json', text: JSON.stringify(credentials) };
    const answer = await throttle.guard(
      credentials.email,
      request.ip,
      () => loginService.post('/api/v1/auth/login', json, request),
      policy === 'after-failures' ? solved : undefined,
    );
    return relay(reply, answer);
  });
};
