import type { GatewayConfig } from '@gatehouse/shared/config';
import { ldapLoginContract } from '@gatehouse/shared/contract/ldap-login';
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
  userService: Upstream;
  now: () => number;
}

const schema = {
  ...ldapLoginContract,
  body: ldapLoginContract.body.extend(captchaField).meta(ldapLoginContract.body.meta() ?? {}),
  response: {
    ...ldapLoginContract.response,
    ...failures('catalogue', 'missingField', 'invalidFormat', 'captchaFailed'),
  },
};

/** POST /api/v1/auth/ldap (CONTRACT.md §LDAP, §CAPTCHA). */
export const ldapLogin: FastifyPluginAsyncZod<Options> = async (
  app,
  { config, captcha, throttle, auditRefusals, userService, now },
) => {
  const policy = config.CAPTCHA_ON_CATALOGUE_LOGIN;

  app.post(
    '/api/v1/auth/ldap',
    { schema, config: { public: true }, bodyLimit: LOGIN_BODY },
    async (request, reply) => {
      const { recaptcha_token, ...credentials } = request.body;
      const checkCaptcha = () => captcha(recaptcha_token, request.ip, now());
      const json = { type: 'application/json', text: JSON.stringify(credentials) };
      const response = await auditRefusals(request, { action: 'sso.login', email: null }, async () => {
        if (policy === 'always') await checkCaptcha();
        return throttle.guard(
          accountKey(credentials),
          request.ip,
          () => userService.post('/api/v1/auth/ldap', json, request),
          policy === 'after-failures' ? checkCaptcha : undefined,
        );
      });
      return relay(reply, response);
    },
  );
};

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
