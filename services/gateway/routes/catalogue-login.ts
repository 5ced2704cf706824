import type { GatewayConfig } from '@gatehouse/shared/config';
import { catalogueLoginContract } from '@gatehouse/shared/contract/catalogue-login';
import { LOGIN_BODY } from '@gatehouse/shared/http/body-limits';
import { failures } from '@gatehouse/shared/http/errors';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { CaptchaGate } from '../captcha/gate.ts';
import type { AuditRefusals } from '../policy/audit-refusals.ts';
import type { LoginThrottle } from '../policy/login-throttle.ts';
import { relay } from '../proxy/response.ts';
import type { Upstream } from '../proxy/upstreams.ts';
import { captchaField } from './captcha-field.ts';

interface Options {
  config: Pick<GatewayConfig, 'CAPTCHA_ON_CATALOGUE_LOGIN'>;
  captcha: CaptchaGate;
  throttle: LoginThrottle;
  auditRefusals: AuditRefusals;
  loginService: Upstream;
  now: () => number;
}

const schema = {
  ...catalogueLoginContract,
  body: catalogueLoginContract.body.extend(captchaField).meta(catalogueLoginContract.body.meta() ?? {}),
  response: {
    ...catalogueLoginContract.response,
    ...failures('catalogue', 'missingField', 'invalidFormat', 'captchaFailed', 'rateLimited'),
  },
};

/** POST /api/v1/auth/login (CONTRACT.md §Catalogue login, §CAPTCHA). */
export const catalogueLogin: FastifyPluginAsyncZod<Options> = async (
  app,
  { config, captcha, throttle, auditRefusals, loginService, now },
) => {
  const policy = config.CAPTCHA_ON_CATALOGUE_LOGIN;

  app.post(
    '/api/v1/auth/login',
    { schema, config: { public: true }, bodyLimit: LOGIN_BODY },
    async (request, reply) => {
      const { recaptcha_token, ...credentials } = request.body;
      const checkCaptcha = () => captcha(recaptcha_token, request.ip, now());
      const json = { type: 'application/json', text: JSON.stringify(credentials) };
      const response = await auditRefusals(
        request,
        { action: 'login', email: credentials.email },
        async () => {
          if (policy === 'always') await checkCaptcha();
          return throttle.guard(
            credentials.email,
            request.ip,
            () => loginService.post('/api/v1/auth/login', json, request),
            policy === 'after-failures' ? checkCaptcha : undefined,
          );
        },
      );
      return relay(reply, response);
    },
  );
};
